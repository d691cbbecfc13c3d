"""Masks: every number on the page is read off it and worked out again in plain NumPy."""

import json
import re
from html import unescape

import numpy as np
import pytest
import torch

from attention import Settings, load, masks
from attention.export.plate import Plate, csv, svg
from attention.export.plate import html as page_file
from attention.ui import shown
from attention.ui.masks import pictures, words
from attention.ui.masks.choices import MaskChoices
from attention.ui.masks.scene import mask_scene
from attention.ui.masks.sections import facts
from attention.ui.view import ViewState
from tests.app.screen import checked, html, matrix, opened, packed, plain
from tests.app.test_explore import ByHand
from tests.app.test_scaling import row
from tests.app.translators import SOURCE, TARGET, write

PAGE = "../../pages/masks.py"
TEXT = "The developer deployed the application because it was ready."
N = 12
QUERY, KEY = np.indices((N, N))
BEHIND = QUERY - KEY
WINDOW = abs(BEHIND) <= 2
GLOBAL = (QUERY == 0) | (KEY == 0)
BY_DEFINITION = {
    "full": BEHIND == BEHIND,
    "causal": BEHIND >= 0,
    "sliding-causal": (BEHIND >= 0) & (BEHIND <= 2),
    "sliding": WINDOW,
    "dilated": (abs(BEHIND) <= 4) & (BEHIND % 2 == 0),
    "longformer": WINDOW | GLOBAL,
    "blocks": QUERY // 4 == KEY // 4,
    "prefix": (KEY < 4) | (BEHIND >= 0),
    "sink": (BEHIND >= 0) & ((BEHIND <= 2) | (KEY == 0)),
    "strided": (BEHIND >= 0) & ((BEHIND < 4) | (BEHIND % 4 == 0)),
    "fixed": (BEHIND >= 0) & ((QUERY // 4 == KEY // 4) | (KEY % 4 == 3)),
    "free": BEHIND == BEHIND,
}


def masked(**params):
    """The page by a link; batch and [MASK] are at their beginning."""
    own = {key.replace("__", "."): text for key, text in params.items()}
    return opened(PAGE, **({"s": TEXT} | own))


def picture(app, name):
    """The traces of one picture by name."""
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.masks-{name}.figure"]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def values(app, name):
    """A grid's numbers; NaN where hatched."""
    return matrix(picture(app, name)["values"])


def allowed(app, name="allowed"):
    return ~np.isnan(values(app, name))


def count(app):
    """What the page says it keeps."""
    said = re.search(r"([\d,]+) of ([\d,]+) cells, ([\d.]+) % of N²", html(app))
    return int(said[1]), int(said[2]), float(said[3])


def layout(app, name):
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.masks-{name}.figure"]
    return json.loads(chart.proto.spec)["layout"]


def press(app, label):
    """The page after a button was pressed."""
    next(one for one in app.button if one.label == label).click()
    return checked(app.run())


def cosine_distances(one, other):
    one, other = (np.asarray(states, dtype=float) for states in (one, other))
    return 1 - (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def by_hand(minilm, allowed, layer=4, head=4):
    """One head under a matrix, in the residual stream of a run that has it cell by cell."""
    cells = Settings(mask=masks.Cells(map(tuple, np.argwhere(~allowed).tolist())))
    one = ByHand(minilm, layer, head, cells, TEXT)
    one.masked = np.where(allowed, one.scaled, -np.inf)
    return one, minilm.run(TEXT, settings=cells)


@pytest.mark.parametrize("pattern", BY_DEFINITION)
def test_each_mask_is_what_its_definition_says(pattern):
    app = masked(masks__pattern=pattern)
    wanted = BY_DEFINITION[pattern]
    assert np.array_equal(allowed(app), wanted)
    n = int(wanted.sum())
    assert count(app) == (n, 144, round(100 * n / 144))
    np.testing.assert_array_equal(row(picture(app, "rows")["keys it may attend to"]), wanted.sum(1))
    least, most = wanted.sum(1).min(), wanted.sum(1).max()
    said = f"Every token may attend to {most} of 12." if least == most else f"From {least} to {most} of 12"
    assert said in html(app)


def test_bigbird_is_longformer_and_two_links_in_every_other_row():
    shown = allowed(masked(masks__pattern="bigbird", masks__global="0.1", masks__reach="1"))
    base = (abs(BEHIND) <= 1) | (QUERY < 2) | (KEY < 2)
    assert not (base & ~shown).any()
    assert (shown & ~base).sum(1).tolist() == [0, 0] + [2] * 10
    assert shown.sum() == 92
    another = masked(masks__pattern="bigbird", masks__global="0.1", masks__reach="1", masks__seed="3")
    assert not np.array_equal(allowed(another), shown)


def test_the_numbers_of_a_mask_come_from_the_sidebar():
    app = masked(masks__pattern="dilated")
    app.number_input(key="page.masks.step").set_value(3)
    app.number_input(key="page.masks.reach").set_value(1)
    app.toggle(key="page.masks.causal").set_value(True)
    assert np.array_equal(allowed(checked(app.run())), (BEHIND == 0) | (BEHIND == 3))
    assert "Dilated, causal too" in html(app)
    own = {key: text for key, text in app.query_params.items() if key.startswith("masks.")}
    assert own == {"masks.pattern": "dilated", "masks.step": "3", "masks.reach": "1", "masks.causal": "1"}


@pytest.mark.parametrize(("pattern", "layer", "head"), [("sliding", 4, 4), ("sink", 2, 7), ("causal", 0, 3)])
def test_scores_minus_infinity_and_weights_are_the_heads(pattern, layer, head, minilm):
    app = masked(masks__pattern=pattern, layer=str(layer), head=str(head))
    wanted = BY_DEFINITION[pattern]
    one, _ = by_hand(minilm, wanted, layer, head)
    np.testing.assert_allclose(values(app, "before"), one.scaled, atol=2e-5)
    np.testing.assert_allclose(values(app, "masked")[wanted], one.scaled[wanted], atol=2e-5)
    assert np.isnan(values(app, "masked")[~wanted]).all()
    assert picture(app, "masked")["numbers"]["text"].count("−∞") == (~wanted).sum()
    np.testing.assert_allclose(values(app, "weights")[wanted], one.weights[wanted], atol=2e-6)
    assert np.isnan(values(app, "weights")[~wanted]).all()
    np.testing.assert_allclose(np.nansum(values(app, "weights"), axis=1), 1, atol=1e-6)
    assert "each row still sums to 1" in html(app)


@pytest.mark.parametrize("pattern", ["sliding", "causal", "blocks"])
def test_how_far_the_output_moved_is_the_real_models(pattern, minilm):
    app = masked(masks__pattern=pattern)
    _, run = by_hand(minilm, BY_DEFINITION[pattern])
    expected = cosine_distances(run.final.numpy(), minilm.run(TEXT).final.numpy())
    shown = row(picture(app, "output")["cosine distance"])
    np.testing.assert_allclose(shown, expected, atol=2e-6)
    most = re.search(r"<bdi>([^<]*)</bdi>, which moves most \(([\d.]+)\)", html(app))
    assert float(most[2]) == pytest.approx(expected.max(), rel=1e-3)
    assert most[1] == unescape(layout(app, "output")["xaxis"]["ticktext"][int(expected.argmax())])


@pytest.mark.parametrize(("pattern", "causal"), [("padding", False), ("causal-padding", True)])
def test_hidden_padding_is_a_column_and_moves_nothing(pattern, causal, minilm):
    app = masked(masks__pattern=pattern)
    i, j = np.indices((15, 15))
    wanted = (j < 12) & ((j <= i) | (not causal))
    assert np.array_equal(allowed(app), wanted)
    assert count(app)[:2] == (int(wanted.sum()), 225)
    moved = row(picture(app, "output")["cosine distance"])
    assert len(moved) == 12
    if causal:
        run = minilm.run(TEXT, settings=Settings(mask=masks.Causal()))
        expected = cosine_distances(run.final.numpy(), minilm.run(TEXT).final.numpy())
        np.testing.assert_allclose(moved, expected, atol=2e-6)
    else:
        assert moved.max() < 1e-6
        assert "<b>Notice</b> that nothing moves" in html(app)


def test_cells_changed_by_hand_are_the_runs(minilm):
    app = masked(masks__pattern="sliding", masks__flip="3-11.5-5.5-6")
    wanted = WINDOW.copy()
    wanted[3, 11], wanted[5, 5], wanted[5, 6] = True, False, False
    assert np.array_equal(allowed(app, "allowed-3"), wanted)
    assert count(app) == (53, 144, 37)
    assert "3 cells changed by hand" in html(app)
    one, run = by_hand(minilm, wanted)
    np.testing.assert_allclose(values(app, "weights")[wanted], one.weights[wanted], atol=2e-6)
    expected = cosine_distances(run.final.numpy(), minilm.run(TEXT).final.numpy())
    np.testing.assert_allclose(row(picture(app, "output")["cosine distance"]), expected, atol=2e-6)


def test_a_row_with_nothing_allowed_is_zero_and_marked_and_can_be_put_back():
    app = masked(masks__pattern="causal", masks__query="4")
    press(app, "Block this row")
    (again,) = [one for one in app.button if one.label == "Block this row"]
    assert again.disabled
    assert again.help == "This row sees nothing already: there is nothing to block."
    wanted = BY_DEFINITION["causal"].copy()
    wanted[4] = False
    assert np.array_equal(allowed(app, "allowed-5"), wanted)
    assert "<b>⊘ <bdi>the⁴</bdi> (4) sees nothing</b>: its row of weights is 0 throughout" in html(app)
    assert "⊘" in layout(app, "weights")["yaxis2"]["ticktext"][4]
    assert "each row that sees anything still sums to 1" in html(app)
    assert picture(app, "masked")["numbers"]["text"].count("−∞") == 66 + 5
    assert "nan" not in html(app).lower()
    assert app.query_params["masks.flip"] == "4-0.4-1.4-2.4-3.4-4"
    assert np.array_equal(allowed(press(app, "Put the cells back")), BY_DEFINITION["causal"])
    (back,) = [one for one in app.button if one.label == "Put the cells back"]
    assert back.disabled


def test_an_emptied_box_keeps_its_number():
    app = masked(masks__pattern="blocks", masks__size="3")
    app.number_input(key="page.masks.size").set_value(None)
    assert checked(app.run()).number_input(key="page.masks.size").value == 3
    assert count(app)[0] == 4 * 3 * 3


def test_a_text_too_long_for_clicks_says_so_where_cells_would_be_clicked():
    app = masked(s="dog " * 63)
    assert "Cells are changed by hand in up to 64 tokens; this has 65." in html(app)
    assert "Click a cell" not in html(app)
    assert "Flip this cell" not in [button.label for button in app.button]
    assert "Click a cell to open or to block it." in html(masked(s="dog " * 62))


def test_the_keyboards_way_to_flip_a_cell():
    app = masked(masks__pattern="full")
    app.selectbox(key="masks.row.None").set_value(2)
    app.selectbox(key="masks.column").set_value(7)
    press(checked(app.run()), "Flip this cell")
    assert np.argwhere(~allowed(app, "allowed-1")).tolist() == [[2, 7]]


def test_the_gallery_shows_every_mask_over_the_readers_tokens():
    header, arrays = packed(masked(masks__pattern="strided"), "mask-gallery")
    assert header["chosen"] == "strided"
    assert list(arrays) == [tile["name"] for tile in header["tiles"]]
    for name, wanted in BY_DEFINITION.items():
        assert np.array_equal(arrays[name].astype(bool), wanted), name
    assert arrays["padding"].sum() == 15 * 12
    assert arrays["causal-padding"].sum() == 78 + 3 * 12


@pytest.fixture(scope="module")
def wide():
    return load("minilm", dtype=torch.float64)


def test_the_batch_shows_ids_mask_and_differences(wide):
    app = masked()
    sentences = ("The bank approved the loan.", "We sat beside the river bank.", "Dogs bark.")
    tables = re.findall(r'<tr><th scope="row">(\d)</th>(.*?)</tr>', html(app))
    assert len(tables) == 3
    largest, entries = [], []
    for (_, cells), sentence in zip(tables, sentences, strict=True):
        run = wide.run(sentence, pad_to=9)
        n_real = run.n_real
        places = re.findall(r"<i>(\d+)</i><i>(\d)</i>", cells)
        assert [int(id) for id, _ in places] == [token.id for token in run.tokens]
        assert [int(open_) for _, open_ in places] == [1] * n_real + [0] * (9 - n_real)
        alone = wide.run(sentence).final.numpy()
        seen = wide.run(sentence, pad_to=9, settings=Settings(padding=False)).final.numpy()[:n_real]
        with_mask, without = (number(cells, name) for name in ("with", "without"))
        assert with_mask <= 1e-10
        assert without == pytest.approx(np.abs(seen - alone).max(), abs=6e-4)
        largest.append(np.abs(seen - alone).max())
        entries.append(np.abs(alone).max())
    # one measure in sentence, table and picture
    bars = row(picture(app, "padding")["largest difference of an entry"])
    np.testing.assert_allclose(bars, largest, atol=1e-4)
    said = re.search(
        r"an entry differs by <b>([^<]*)</b> at most \(float64\). Without it one differs by up to "
        r"<b>([^<]*)</b>, in sentence (\d)",
        html(app),
    )
    assert read(said[1]) <= 1e-10
    assert read(said[2]) == pytest.approx(max(largest), abs=6e-4)
    assert int(said[3]) == 1 + int(np.argmax(largest))
    reach, whole = re.search(r"outputs reach ([\d.]+)\. Sentence (\d), the longest", html(app)).groups()
    assert read(reach) == pytest.approx(max(entries), rel=1e-3)
    assert largest[int(whole) - 1] == 0


def number(cells, name):
    return read(re.search(rf"data-{name}>([^<]*)<", cells)[1])


def read(text):
    return float(text.replace("−", "-"))


def test_a_word_hidden_and_a_word_replaced_side_by_side(minilm):
    app = masked(masks__word="5")
    untouched = minilm.run(TEXT)
    hidden = minilm.run(TEXT, settings=Settings(mask=masks.Keys({5})))
    replaced = minilm.run([103 if at == 5 else token.id for at, token in enumerate(untouched.tokens)])
    others = [at for at in range(N) if at != 5]
    means = [
        np.mean([run.attention(layer).weights.numpy()[:, others, 5] for layer in range(6)])
        for run in (untouched, hidden, replaced)
    ]
    numbers = re.findall(r"<b>([\d.]+)</b>", html(app)[html(app).index("Mean weight") :])[:3]
    assert [float(text) for text in numbers] == pytest.approx(means, abs=6e-4)
    assert float(numbers[1]) == 0 < means[0] < means[2]
    assert np.isnan(values(app, "hidden")[:, 5]).all()
    expected = replaced.attention(4).head(4).weights[0].numpy()
    np.testing.assert_allclose(values(app, "replaced"), expected, atol=2e-6)
    assert "<b>Notice</b> that the column of [MASK] still gets weight." in html(app)


def test_a_model_without_mask_or_padding_token_says_so():
    app = opened(
        PAGE, s="I learn", model="worked-example", layer="0", head="0", **{"masks.pattern": "padding"}
    )
    assert "worked-example has no [MASK] token" in html(app)
    assert [plain(one.value) for one in app.warning] == [
        "worked-example has no padding token: nothing was padded."
    ]
    assert count(app)[:2] == (4, 4)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("masks.pattern", "bigbert", "is not one of full, causal"),
        ("masks.reach", "9999", "9999 is not from 0 to 512"),
        ("masks.step", "0", "0 is not from 1 to 512"),
        ("masks.flip", "3", "no list of pairs"),
        ("masks.flip", "3-40", "There is no cell 3 → 40: the sentence has 12 tokens (0–11)."),
        ("masks.global", "0.77", "There is no global token 77: the sentence has 12 tokens (0–11)."),
        ("masks.word", "12", "There is no word 12: the sentence has 12 tokens (0–11)."),
        ("masks.batch", "a\n" * 9, "it has 9 sentences; at most 8 are read"),
        ("masks.colour", "red", "means nothing here"),
    ],
)
def test_a_bad_part_of_a_link_is_told_in_a_sentence_and_the_rest_is_kept(key, value, said):
    app = masked(**{key: value, "masks.size": "3"})
    assert len(app.warning) == 1
    assert said in plain(app.warning[0].value)
    assert len(app.error) == 0
    app.number_input(key="page.masks.reach")
    assert app.query_params["masks.size"] == "3"


def test_a_batch_that_cannot_be_read_is_told_and_kept():
    app = masked()
    for text, said in (
        ("", "The batch is empty: write at least one sentence"),
        ("One.\n" * 9, "The batch has 9 sentences; at most 8 fit here."),
        ("Fine.\n" + "bank " * 600, "Sentence 2 of the batch: The text has 602 tokens"),
    ):
        app.text_area(key="page.masks.batch").set_value(text)
        checked(app.run())
        assert said in plain(app.error[0].value)
        assert app.text_area(key="page.masks.batch").value == text.strip()
    app.text_area(key="page.masks.batch").set_value("Dogs bark.\n\nDogs bite.")
    assert not checked(app.run()).error
    assert "All sentences are of one length: nothing is padded." in html(app)


@pytest.mark.parametrize(
    ("rule", "choices"),
    [
        (masks.Window(2, 2), MaskChoices()),
        (
            masks.Causal() & (masks.Window(1, 1) | masks.Global({0, 3})),
            MaskChoices(pattern="longformer", reach=1, causal=True, tokens=frozenset({0, 3})),
        ),
        (masks.Keys({12, 13, 14}), MaskChoices(pattern="padding")),
        (masks.Cells({(3, 4)}), MaskChoices(pattern="free", flipped=frozenset({(3, 4)}))),
    ],
)
def test_files_say_which_mask_it_was_in_python(rule, choices):
    said = facts(mask_scene(ViewState(text=TEXT), choices))
    assert eval(said["mask rule"], vars(masks)) == rule
    assert said["text"] == TEXT
    assert said["model"] == "minilm"
    assert (said["layer"], said["head"]) == ("L4", "H4")


def test_of_a_translator_the_encoder_is_masked(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    folder = write(tmp_path, "tiny t5")
    app = opened(PAGE, s=SOURCE, target=TARGET, model="tiny t5", layer="1", head="1", **{"masks.reach": "1"})
    i, j = np.indices((11, 11))
    assert np.array_equal(allowed(app), abs(i - j) <= 1)
    settings = Settings(encoder=Settings(mask=masks.Window(1, 1)))
    changed, untouched = (
        load(folder).run(SOURCE, target=TARGET, settings=one) for one in (settings, Settings())
    )
    weights = changed.encoder.attention(1).head(1).weights[0].numpy()
    np.testing.assert_allclose(np.nan_to_num(values(app, "weights")), weights, atol=2e-6)
    expected = cosine_distances(changed.encoder.final.numpy(), untouched.encoder.final.numpy())
    np.testing.assert_allclose(row(picture(app, "output")["cosine distance"]), expected, atol=2e-6)
    assert max(expected) > 1e-4
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == "All its steps"]
    assert "site=encoder" in link.query_string
    assert "mask=window%3A1%3A1" in link.query_string


@pytest.mark.weights
def test_a_model_that_sees_nothing_ahead_needs_no_padding_mask_and_has_no_mask_token():
    app = opened(PAGE, s="The capital of France is", model="smollm2", layer="3", head="2")
    assert "smollm2 has no [MASK] token" in html(app)
    said = re.search(
        r"an entry differs by <b>([^<]*)</b> at most \(float64\). So they do without it", html(app)
    )
    assert read(said[1]) <= 1e-10
    assert "This model was not trained to see what comes later: that is a what if." in html(app)
    assert not [one for one in app.get("plotly_chart") if "masks-padding" in one.key]


def test_the_mask_goes_along_to_explore():
    app = masked(masks__pattern="longformer", masks__causal="1")
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == "All its steps"]
    assert "mask=causal%2Bwindow%3A2%3A2%2Cglobal%3A0" in link.query_string
    again = opened(s=TEXT, mask="causal+window:2:2,global:0")
    header, arrays = packed(again, "steps")
    assert not again.warning
    weights = next(step for step in header["steps"] if step["name"] == "Weights")["matrices"][0]["array"]
    np.testing.assert_allclose(np.nan_to_num(values(app, "weights")), arrays[weights], atol=2e-6)


def test_padding_opened_by_hand_does_not_go_to_explore_where_it_would_be_blocked_again():
    """Token 2 looks at the padding at 13; the other cell changed by hand is between words and may go."""
    app = masked(masks__pattern="padding", masks__pad="3", masks__flip="2-13")
    assert allowed(app, "allowed-1")[2, 13]
    assert not [one for one in app.get("page_link") if one.proto.label == "All its steps"]
    assert "Not to be opened in Explore, which hides padding from every token." in html(app)
    app = masked(masks__pattern="padding", masks__pad="3", masks__flip="2-4")
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == "All its steps"]
    assert "pad=15" in link.query_string
    assert "Not to be opened" not in html(app)


def test_a_picture_names_the_mask_as_the_page_does_and_tells_nobody_to_click():
    app = masked(masks__pattern="bigbird", masks__flip="0-5")
    assert "Click a cell to open or to block it." in html(app)
    choices = MaskChoices(pattern="bigbird", flipped=frozenset({(0, 5)}))
    scene = mask_scene(ViewState(text=TEXT), choices)
    said = facts(scene)
    assert said["mask"] == (
        "BigBird: neighbours a side 2, global tokens 0, random links a row 2, seed of the lot 0; "
        "1 cell changed by hand"
    )
    plate = Plate(
        picture=pictures.allowed(scene), key="masks-allowed", facts=said, caption=words.blind(scene)
    )
    for written in (svg(plate).decode(), page_file(plate).decode()):
        seen = re.sub("(?s)<metadata>.*?</metadata>", "", unescape(written))
        assert "BigBird: neighbours a side 2" in seen
        assert "Cells(" not in seen
    assert "Cells(" in csv(plate).decode("utf-8-sig")


def test_no_file_of_the_page_tells_anybody_to_click(monkeypatch):
    held = []
    monkeypatch.setattr(shown, "files", lambda plate, *_, **__: held.append(plate))
    masked()
    assert "masks-allowed" in [plate.key for plate in held]
    assert not [plate.key for plate in held if "lick" in plate.caption]
