"""The Positions page: each claim is read off the page and recomputed."""

import base64
import json
import math
import re

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention import load
from attention.model import from_checkpoint
from attention.ui.positions import choices, reordered
from tests.app.screen import checked, html, markup, matrix, opened, plain
from tests.app.translators import WORDS, write
from tests.toys import toy

PAGE = "../../pages/positions.py"


def positions(part="order", shared=(), **own):
    own = {f"positions.{name}": str(value) for name, value in {"part": part, **own}.items()}
    return opened(PAGE, **own, **dict(shared))


def picture(app, name):
    """The traces of one picture by name."""
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.positions-{name}.figure"]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def row(trace, axis="y"):
    values = trace[axis]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def grid(app, name):
    return matrix(picture(app, name)["values"])


def number(text):
    return float(text.replace("−", "-"))


def differences(app):
    """The largest differences of the verdicts, by name."""
    rows = re.findall(r'<th scope="row">([^<]*)</th><td class="number">([^<]*)</td>', html(app))
    return {name: number(text) for name, text in rows}


def second_order(app):
    line = html(app).partition("<small>second")[2].partition("</div>")[0]
    return re.findall(r"<bdi[^>]*>([^<]*)</bdi>", line)


def address(app):
    return {key: text if isinstance(text, str) else text[0] for key, text in app.query_params.items()}


def note_difference(app):
    return number(re.search(r"\(largest difference ([^) ]*)", html(app))[1])


@pytest.fixture(scope="module")
def wide(minilm):
    return from_checkpoint(minilm.checkpoint, dtype=torch.float64)


def as_folder(folder, model, words):
    """A toy as a folder of a models folder, with a tokenizer that reads these words."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture
def turning(tmp_path, monkeypatch):
    """A models folder with a causal toy that turns queries and keys and reads words."""
    words = ("[UNK]", "I", "learn", "slowly", "again")
    model = toy(mask="causal", d_vocab=len(words), positions=False, rotary_base=1e3, d_rotary=4)
    as_folder(tmp_path / "turning", model, words)
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return model


# ---- word order


def test_dog_and_cat_are_told_apart_by_positions_alone(wide):
    app = positions()
    shown = differences(app)
    assert list(shown) == ["with its positions", "positions taken away"]
    assert shown["positions taken away"] <= 1e-10
    first, second = (wide.run(text).final.numpy() for text in ("dog chased cat", "cat chased dog"))
    back = second[[0, 3, 2, 1, 4]]
    assert shown["with its positions"] == pytest.approx(np.abs(back - first).max(), abs=6e-4)
    moved = 1 - (first * back).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(back, axis=1)
    bars = picture(app, "order")
    np.testing.assert_allclose(row(bars["with its positions"]), moved, atol=1e-5)
    np.testing.assert_allclose(row(bars["positions taken away"]), np.zeros(5), atol=1e-12)
    assert moved.argmax() == 1
    said = f"<bdi>dog</bdi>, which turned most: cosine distance {moved[1]:.3f} with positions, none without"
    assert said in html(app)
    assert 'scope="col">largest difference of an entry</th>' in html(app)
    assert "it can tell" in html(app)
    assert "it cannot tell" in html(app)


def test_words_move_whole_and_punctuation_stays():
    app = positions(s="The lorry ran, far!", order="2.3.0.1")
    assert second_order(app) == ["CLS", "ran", "far", "the", ",", "lorry", "!", "SEP"]
    assert differences(app)["positions taken away"] <= 1e-10
    assert not app.warning


def test_a_click_shuffles_and_the_link_brings_it_back():
    app = positions(s="The developer deployed the application because it was ready.")
    assert second_order(app)[1] == "ready"
    checked(app.button(key="example-order-shuffled").click().run())
    order = [int(at) for at in address(app)["positions.order"].split(".")]
    assert sorted(order) == list(range(9))
    assert differences(app)["positions taken away"] <= 1e-10
    assert differences(app)["with its positions"] > 0.1
    again = positions(s=address(app)["positions.s"], order=address(app)["positions.order"])
    assert second_order(again) == second_order(app)


def test_another_sentence_lets_the_order_go():
    app = positions(order="1.0.2")
    assert second_order(app) == ["CLS", "chased", "dog", "cat", "SEP"]
    checked(app.text_input(key="page.positions.text").set_value("we sat").run())
    assert second_order(app) == ["CLS", "sat", "we", "SEP"]
    assert "positions.order" not in address(app)
    assert not app.warning


def test_an_order_of_another_sentence_is_told():
    app = positions(order="1.0")
    assert [plain(one.value) for one in app.warning] == [
        "The link's order is for 2 words, and the sentence has 3."
    ]
    assert second_order(app) == ["CLS", "cat", "chased", "dog", "SEP"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dog", "A sentence of one word has no other order: type a second one."),
        ("…!", "A sentence of one word has no other order: type a second one."),
        ("", "The text is blank."),
        ("a " * 41, "The sentence has 41 words; at most 40 change places here."),
    ],
)
def test_what_has_no_other_order_is_told_in_a_sentence(text, said):
    app = positions(s=text)
    assert [plain(one.value) for one in app.error] == [said]
    assert app.text_input(key="page.positions.text").value == text


def test_a_causal_model_can_still_tell_by_its_mask(turning):
    app = positions(s="I learn slowly again", shared={"model": "turning"})
    shown = differences(app)
    assert list(shown) == ["with its positions", "positions taken away", "positions and mask taken away"]
    assert shown["positions taken away"] > 1e-3
    assert shown["positions and mask taken away"] <= 1e-10
    first, second = (turning.run(ids).final.numpy() for ids in ([1, 2, 3, 4], [4, 3, 2, 1]))
    assert shown["with its positions"] == pytest.approx(np.abs(second[::-1] - first).max(), abs=6e-4)
    assert "Without the mask too, the order is gone." in html(app)


def test_of_an_encoder_decoder_the_encoder_reads(tmp_path, monkeypatch):
    write(tmp_path, "tiny t5")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    app = positions(
        s="the dog chased the cat .", shared={"model": "tiny t5", "s": "the dog", "layer": "0", "head": "0"}
    )
    assert second_order(app) == ["cat", "the³", "chased", "dog", "the⁰", ".", "&lt;/s&gt;"]
    assert differences(app)["positions taken away"] <= 1e-10
    assert differences(app)["with its positions"] > 1e-3


# ---- sinusoidal


def test_the_sinusoidal_table_is_the_papers():
    app = positions("sinusoidal", n=9, d=6, at=4)
    waves = 10000 ** (np.arange(3) / 3)
    angles = np.arange(9)[:, None] / waves
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(9, 6)
    np.testing.assert_allclose(grid(app, "sinusoids"), expected, atol=1e-6)
    assert expected[0].tolist() == [0, 1, 0, 1, 0, 1]
    dots = picture(app, "dots")
    np.testing.assert_allclose(row(dots["with position 4"]), expected @ expected[4], atol=1e-12)
    assert row(dots["with position 4"], "x").tolist() == list(range(-4, 5))
    np.testing.assert_allclose(row(dots["with position 8"]), expected @ expected[8], atol=1e-12)
    assert "the peak, 3.0, is at the position itself" in html(app)
    assert note_difference(app) <= 1e-12


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # science.md, section 3: d = 4, position 1
        ("interleaved", [0.841471, 0.540302, 0.010000, 0.999950]),
        ("halves", [0.841471, 0.010000, 0.540302, 0.999950]),
        ("spread", [0.841471, 0.000100, 0.540302, 1.000000]),
    ],
)
def test_the_three_tables(table, expected):
    np.testing.assert_allclose(
        grid(positions("sinusoidal", n=3, d=4, table=table), "sinusoids")[1], expected, atol=6e-7
    )


def test_an_odd_width_is_not_said_to_know_the_distance_alone():
    """Its last sine has no cosine: sin p · sin q is no function of p − q."""
    app = positions("sinusoidal", n=256, d=3, at=20)
    table = np.zeros((256, 3))
    places = np.arange(256)
    table[:, 0], table[:, 1] = np.sin(places), np.cos(places)
    table[:, 2] = np.sin(places / 10000 ** (2 / 3))
    mine, others = table @ table[20], table @ table[255]
    apart = np.abs(mine[:21] - others[235:]).max()
    assert apart == pytest.approx(0.271, abs=1e-3)
    assert f"come apart (by {apart:.3f} at most)" in html(app)
    assert "are one" not in html(app)


def test_how_slow_the_slowest_wave_is():
    paper = 10000 ** (62 / 64)
    assert f"in the paper {paper:,.0f} times" in html(positions("sinusoidal", d=64, table="spread"))
    assert "The one pair is the hand of a clock" in html(positions("sinusoidal", d=2, table="spread"))


def test_a_table_shorter_than_the_position_compared_at_first_compares_its_last():
    app = positions("sinusoidal", n=4)
    assert not app.warning
    assert "with position 3" in picture(app, "dots")


# ---- learned


def test_the_learned_table_is_minilms(minilm):
    app = positions("learned", first=40)
    table = minilm.checkpoint.tensors["embeddings.position_embeddings.weight"].numpy().astype(float)[:40]
    np.testing.assert_allclose(grid(app, "table"), table, atol=1e-6)
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    alike = units @ units.T
    np.testing.assert_allclose(grid(app, "alike"), alike, atol=1e-6)
    means = [np.diagonal(alike, k).mean() for k in range(40)]
    np.testing.assert_allclose(row(picture(app, "means")["all pairs so far apart"]), means, atol=1e-9)
    assert f"the mean cosine is {means[1]:.2f} one place apart and {means[20]:.2f} at 20 places" in html(app)
    assert f"Position 0 has {alike[0, 1:].mean():.2f} with the others" in html(app)


def test_a_model_without_a_learned_table_says_so_and_offers_one(turning):
    app = positions("learned", shared={"model": "turning", "s": "I learn"})
    assert "turning has no table of learned positions. What it has: queries and keys turn (RoPE" in html(app)
    checked(app.button(key="positions.open.minilm").click().run())
    assert "Nobody told all-MiniLM-L6-v2 what a position is" in html(app)
    assert address(app)["model"] == "minilm"


# ---- rotary


def turned(vector, position, base, n_channels):
    """Su et al. 2021 with complex numbers: channels i and i + half are one."""
    half = n_channels // 2
    pairs = vector[..., :half] + 1j * vector[..., half:n_channels]
    angles = position[..., None] * base ** (-np.arange(half) / half)
    pairs = pairs * np.exp(1j * angles)
    return np.concatenate([pairs.real, pairs.imag, vector[..., n_channels:]], axis=-1)


def test_real_queries_and_keys_turn_and_score_by_distance(turning):
    app = positions(
        "rotary",
        layer=1,
        head=4,
        query=2,
        key=1,
        shift=70,
        shared={"model": "turning", "s": "I learn slowly"},
    )
    x = turning.run([1, 2, 3]).resid_pre[1].numpy()
    tensors = {name: tensor.numpy() for name, tensor in turning.checkpoint.tensors.items()}
    q = x @ tensors["layers.1.w_q"][4] + tensors["layers.1.b_q"][4]
    k = x @ tensors["layers.1.w_k"][1] + tensors["layers.1.b_k"][1]  # 6 query heads on 2 kv heads
    places = np.arange(3.0)
    for side, vectors in (("query", q), ("key", k)):
        np.testing.assert_allclose(grid(app, f"{side}-before"), vectors, atol=1e-5)
        np.testing.assert_allclose(grid(app, f"{side}-after"), turned(vectors, places, 1e3, 4), atol=1e-5)
    chart = picture(app, "turned")
    distances = row(chart["query at 2"], "x")
    query = turned(q[2], np.array(2.0), 1e3, 4)
    expected = [query @ turned(k[1], np.array(2 - distance), 1e3, 4) for distance in distances]
    np.testing.assert_allclose(row(chart["query at 2"]), expected, atol=1e-5)
    np.testing.assert_allclose(row(chart["query at 72"]), expected, atol=1e-5)
    assert row(chart["where they stand"]).tolist() == pytest.approx(
        [expected[distances.tolist().index(1)]], abs=1e-5
    )
    assert note_difference(app) <= 1e-12
    assert "moving query and key by 70 places" in html(app)


def test_the_dials_show_the_angles(turning):
    app = positions("rotary", query=2, key=1, shared={"model": "turning", "s": "I learn slowly"})
    titles = re.findall(r"<title>([^<]*)</title>", markup(app, "positions.dials"))
    slow = math.degrees(1e3**-0.5)
    assert titles == [
        f"pair 0: query {math.degrees(2):.1f}°, key {math.degrees(1):.1f}°, {math.degrees(1):.1f}° apart",
        f"pair 1: query {2 * slow:.1f}°, key {slow:.1f}°, {slow:.1f}° apart",
    ]


def test_a_model_that_turns_nothing_gets_drawn_vectors_and_says_so():
    app = positions("rotary", query=7, key=3)
    assert "all-MiniLM-L6-v2 does not turn queries and keys; these are drawn at random." in html(app)
    assert note_difference(app) <= 1e-12
    assert not [one for one in app.get("plotly_chart") if "before" in one.key]
    assert app.button(key="positions.open.smollm2").label == "Open SmolLM2 135M Instruct"


def test_what_the_sentence_or_the_model_does_not_have_is_told(turning):
    shared = {"model": "turning", "s": "I learn slowly", "layer": "1", "head": "1"}
    app = positions("rotary", layer=9, query=5, shared=shared)
    assert [plain(one.value) for one in app.warning] == [
        "There is no layer 9: the model has 3 (0–2).",
        "There is no query 5: the sentence has 3 (0–2).",
    ]
    assert "<bdi>slowly</bdi> at position 2" in html(app)


@pytest.mark.parametrize(
    ("part", "own", "said"),
    [
        ("sinusoidal", {"n": 30, "at": 50}, "There is no position 50: the table has 30 (0–29)."),
        ("rotary", {"query": 49}, "The query cannot stand at 49: vectors that are drawn stand on the chart"),
        ("rotary", {"key": 49}, "The key cannot stand at 49: vectors that are drawn stand on the chart"),
        ("alibi", {"heads": 6, "slope": 6}, "There is no head 6: there are 6 (0–5)."),
        ("relative", {"bias_head": 8}, "There is no head 8: the table has 8 (0–7)."),
    ],
)
def test_what_the_picture_does_not_have_is_told_and_ignored(part, own, said):
    app = positions(part, **own)
    (warning,) = app.warning
    assert plain(warning.value).startswith(said)
    name = list(own)[-1]
    assert f"positions.{name}" not in address(app)
    shown = [one for one in [*app.slider, *app.selectbox] if one.key == f"page.positions.{name}"]
    assert [one.value for one in shown] == [{"at": 20, "query": 12}.get(name, 0)]
    inside = {**own, name: own[name] - 1} if name != "at" else {"n": 30, "at": 29}
    assert not positions(part, **inside).warning


def test_rows_that_a_short_table_does_not_have_are_told(tmp_path, monkeypatch):
    """The toy has 40 positions, fewer than are compared at first; so many are no choice of the reader's."""
    model = toy(d_vocab=3, n_positions=40)
    as_folder(tmp_path / "short", model, ("[UNK]", "I", "learn"))
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    shared = {"model": "short", "s": "I learn", "layer": "0", "head": "0"}
    assert not positions("learned", shared=shared).warning
    app = positions("learned", first=41, shared=shared)
    assert [plain(one.value) for one in app.warning] == [
        "41 rows cannot be compared: the table has 40 (4–40)."
    ]
    assert grid(app, "table").shape == (40, 7)


# ---- ALiBi and relative bias


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        # science.md, section 3
        (8, [2.0**-power for power in range(1, 9)]),
        (6, [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]),
    ],
)
def test_slopes_and_the_bias_of_a_head(heads, slopes):
    app = positions("alibi", heads=heads, slope=4, m=7)
    np.testing.assert_allclose(row(picture(app, "alibi-slopes")["slope"]), slopes, atol=1e-12)
    bias = grid(app, "alibi-bias")
    for query in range(7):
        np.testing.assert_allclose(
            bias[query, : query + 1], [-slopes[4] * (query - key) for key in range(query + 1)], atol=1e-6
        )
        assert np.isnan(bias[query, query + 1 :]).all()
    assert ("no power of two" in html(app)) == (heads == 6)


def test_weights_with_the_bias_are_those_without_it_bent_by_it():
    app = positions("alibi", slope=0, m=9)
    without, bent = (np.nan_to_num(grid(app, f"alibi-{how}")) for how in ("without", "with"))
    back = np.arange(9)[:, None] - np.arange(9)[None]
    expected = without * np.exp(-0.5 * back)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(bent, expected, atol=1e-5)
    before, after = ((weights * back).sum(1).mean() for weights in (without, bent))
    assert f"looks {before:.2f} places back without its bias and {after:.2f} with it" in html(app)
    assert after < before


def test_a_drawn_table_says_that_it_is_drawn():
    app = positions("relative", bias_head=2, m=20)
    assert "has no such bias: this table is drawn at random (seed 0), not learned" in html(app)
    bias = grid(app, "bias")
    for distance in range(-19, 20):
        assert np.ptp(np.diagonal(bias, distance)) == 0
    # 16 to 22 places back share a bucket, and so do 12 to 15
    assert np.ptp(bias[19, :4]) == np.ptp(bias[19, 4:8]) == 0
    assert bias[19, 3] != bias[19, 4] != bias[19, 8]


def test_buckets_on_the_page():
    buckets = picture(positions("relative"), "buckets")["bucket"]
    found = dict(zip(row(buckets, "x").astype(int), row(buckets).astype(int), strict=True))
    # science.md, section 3
    assert [found[place] for place in (-113, -91, -90, -64, -8, -1, 0, 1, 12, 91, 130)] == [
        15, 15, 14, 14, 8, 1, 0, 17, 25, 31, 31]  # fmt: skip
    app = positions("relative")
    assert "from 91 places on all share the last one" in html(app)
    assert "Bucket 16 is never used: no distance falls into it." in html(app)
    causal = positions("relative", side="causal")
    assert "from 113 places on" in html(causal)
    assert "never used" not in html(causal)


@pytest.mark.parametrize(("side", "stack"), [("both", "encoder"), ("causal", "decoder")])
def test_an_open_t5_shows_its_own_table(tmp_path, monkeypatch, side, stack):
    folder = write(tmp_path, "tiny t5")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    app = positions(
        "relative", side=side, bias_head=1, m=6, shared={"model": "tiny t5", "s": " ".join(WORDS[3:6])}
    )
    tensors = load(folder).checkpoint.tensors
    table = tensors[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"].numpy()
    assert f"The {stack}’s table of tiny t5, as its file has it." in html(app)
    bias = grid(app, "bias")
    assert bias[3, 3] == pytest.approx(table[0, 1])
    assert bias[3, 2] == pytest.approx(table[1, 1])
    if side == "causal":
        assert np.isnan(bias[2, 3])
    else:
        assert bias[2, 3] == pytest.approx(table[len(table) // 2 + 1, 1])


# ---- links


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"part": "nowhere"}, "The link's positions.part was ignored: “nowhere” is not one of"),
        ({"n": "1"}, "The link's positions.n was ignored: 1 is not from 2 to 256."),
        ({"d": "x"}, "The link's positions.d was ignored: “x” is no whole number from 2 to 256."),
        ({"order": "0.0.1"}, "The link's positions.order was ignored: an order of 3 names each of 0–2 once"),
        ({"order": "a"}, "The link's positions.order was ignored: “a” is no order such as 2.1.0."),
        ({"s": "x" * 301}, "The link's positions.s was ignored: it has 301 characters, and 300 are read"),
        ({"q": "1"}, "The link's “positions.q” means nothing here."),
    ],
)
def test_what_is_wrong_with_a_link_is_told(own, said):
    app = positions(**own)
    assert len(app.warning) == 1
    assert plain(app.warning[0].value).startswith(said)


def test_an_order_too_long_for_a_link_is_told():
    with pytest.raises(Exception, match="41 words are more than the 40"):
        choices.PAGE.entries["order"].read(".".join(map(str, range(41))))


def test_a_shuffle_is_never_the_same_order():
    assert all(reordered.shuffled(2, seed) == (1, 0) for seed in range(20))
    assert reordered.shuffled(9, 3) == reordered.shuffled(9, 3) != reordered.shuffled(9, 4)
