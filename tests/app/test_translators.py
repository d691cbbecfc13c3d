"""Encoder–decoders in Explore: three kinds of attention, rectangular matrices, a target typed or written."""

import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from attention import Settings, load, masks
from attention.analysis.checks import row_sum_deviation, visible_difference
from attention.figures.numbers import share
from attention.sites import SITES, SiteRun
from attention.ui import cache, export_menu, export_view
from attention.ui.asked import Asked
from attention.ui.scene import scene
from attention.ui.view import Changes, ViewState
from tests.app.screen import checked, figure, html, markup, matrix, numbers, opened, packed, plain
from tests.app.translators import CASES, SOURCE, TARGET, write

BOTH = pytest.mark.parametrize("name", CASES)
N_SOURCE, N_TARGET = 11, 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for name in CASES:
        write(place, name)
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def shown(name="tiny t5", **params):
    return opened(**({"s": SOURCE, "target": TARGET, "model": name, "layer": "1", "head": "1"} | params))


def run(folder, name="tiny t5", **asked):
    return load(folder / name).run(SOURCE, **({"target": TARGET} | asked))


def across_by_hand(folder, layer, head):
    """One head of T5's cross-attention in NumPy float64, from raw tensors and the residual streams."""
    of = run(folder)
    tensors = {name: part.numpy().astype(float) for name, part in of.model.checkpoint.tensors.items()}
    block = f"decoder.block.{layer}.layer"
    stream, memory = of.layer(layer).mid.numpy().astype(float), of.encoder.final.numpy().astype(float)
    gain = tensors[f"{block}.1.layer_norm.weight"]
    x = stream / np.sqrt((stream**2).mean(axis=1, keepdims=True) + 1e-6) * gain
    rows = slice(4 * head, 4 * head + 4)
    q, k, v = (
        given @ tensors[f"{block}.1.EncDecAttention.{which}.weight"][rows].T
        for which, given in (("q", x), ("k", memory), ("v", memory))
    )
    e = np.exp(q @ k.T - (q @ k.T).max(axis=1, keepdims=True))
    return q, k, v, e / e.sum(axis=1, keepdims=True)


def test_a_cell_across_is_what_the_tensors_say(folder):
    app = shown(site="cross", query="5", key="7")
    q, k, v, weights = across_by_hand(folder, 1, 1)
    product, row = q[5] @ k[7], q[5] @ k.T
    expected = [product, product, product - row.max(), np.exp(product - row.max()), weights[5, 7]]
    assert numbers(markup(app, "chain")) == pytest.approx(expected, abs=6e-4)
    rows = re.findall(r'data-position="(\d+)" data-weight="([^"]+)" data-norm="([^"]+)"', markup(app, "mix"))
    assert len(rows) == N_SOURCE
    for at, weight, norm in rows:
        assert float(weight) == pytest.approx(weights[5, int(at)], abs=1e-5)
        assert float(norm) == pytest.approx(np.linalg.norm(weights[5, int(at)] * v[int(at)]), abs=1e-4)
    np.testing.assert_allclose(matrix(figure(app)["weights"]), weights, atol=1e-5)


def test_the_steps_across_begin_with_two_sequences(folder):
    header, arrays = packed(shown(site="cross", query="5", key="7"), "steps")
    q, k, v, weights = across_by_hand(folder, 1, 1)
    of, found = run(folder), {step["name"]: step for step in header["steps"]}
    parts = {name: [arrays[part["array"]] for part in step["matrices"]] for name, step in found.items()}
    np.testing.assert_allclose(parts["Input"][1], of.encoder.final.numpy(), atol=1e-5)
    for seen, expected in zip(parts["Queries, keys, values"], (q, k, v), strict=True):
        np.testing.assert_allclose(seen, expected, atol=1e-4)
    np.testing.assert_allclose(parts["Scores"][0], q @ k.T, atol=1e-4)
    np.testing.assert_allclose(parts["Weights"][0], weights, atol=1e-5)
    np.testing.assert_allclose(parts["Weighted sum"][0], weights @ v, atol=1e-4)
    assert [part["label"] for part in found["Input"]["matrices"]] == ["X", "M"]
    assert header["query_labels"][5] == "Katze"
    assert header["key_labels"][7] == "was"
    assert header["two_sequences"]


@BOTH
@pytest.mark.parametrize("site", SITES)
def test_each_kind_of_attention_is_right_in_every_picture(folder, name, site):
    weights = SiteRun(run(folder, name), site).trace(1).weights.numpy()
    sizes = {"self": (N_TARGET, N_TARGET), "cross": (N_TARGET, N_SOURCE), "encoder": (N_SOURCE, N_SOURCE)}
    assert weights.shape[1:] == sizes[site]
    app = shown(name, site=site)
    np.testing.assert_allclose(np.nan_to_num(matrix(figure(app)["weights"])), weights[1], atol=1e-5)
    (shades,) = packed(app, "sheet")[1].values()
    assert np.abs(shades[1, 1].astype(int) - np.rint(weights[1] ** 0.7 * 255)).max() <= 1


@pytest.mark.parametrize("site", SITES)
def test_lines_and_table_name_both_sequences(folder, site):
    weights = SiteRun(run(folder), site).trace(1).weights[1].numpy()
    first, second = ("<pad>" if site != "encoder" else "the"), ("<pad>" if site == "self" else "the")
    header, _ = packed(shown(site=site, view="lines"), "lines")
    assert (header["query_labels"][0], header["key_labels"][0]) == (first, second)
    table = shown(site=site, view="table").dataframe[0].value
    np.testing.assert_allclose(table.to_numpy(), weights, atol=1e-5)
    assert (table.index[0], table.columns[0]) == (f"0 {first}", f"0 {second}")


def strips(app):
    found = {}
    for element in app.get("bidi_component"):
        if element.key in ("tokens", "source", "target"):
            header, arrays = packed(app, element.key)
            found[element.key] = ([chip["shown"] for chip in header["chips"]], header, arrays)
    return found


def test_source_and_target_have_a_strip_each_and_the_row_lights_the_source(folder):
    across = strips(shown(site="cross", query="5", key="7"))
    assert list(across) == ["source", "tokens"]
    source, target = across["source"], across["tokens"]
    assert source[0][:3] == ["the", "dog", "chased"]
    assert target[0][1:3] == ["der", "Hund"]
    weights = run(folder).cross_attention(1).weights[1, 5].numpy()
    np.testing.assert_allclose(source[2]["weights"], weights, atol=1e-5)
    assert (source[1]["query"], source[1]["key"]) == (None, 7)
    assert (target[1]["query"], target[1]["key"], target[1]["rows"]) == (5, None, "none")
    assert {key: one[1]["rows"] for key, one in strips(shown(site="self")).items()} == {
        "source": "none",
        "tokens": "all",
    }
    assert {key: one[1]["rows"] for key, one in strips(shown(site="encoder")).items()} == {
        "tokens": "all",
        "target": "none",
    }


def test_without_a_target_the_model_writes_and_the_page_says_what(folder):
    name = "tiny marian"  # it has room for 40 tokens, and T5 for as many as one waits for
    app = shown(name, target="")
    of = load(folder / name).run(SOURCE)
    written = [token.text for token in of.tokens[1:]]
    assert [chip["shown"] for chip in packed(app, "tokens")[0]["chips"]][1:] == written
    said = re.sub("<[^>]+>", "", html(app))
    assert f"The model wrote {' '.join(written)}"[:100] in said
    assert f"stopped after {len(written)} tokens" in said
    typed = shown(name)
    assert "The target is yours." in html(typed)
    assert app.text_input(key="control.target").value == ""
    typed.text_input(key="control.target").set_value("wir saßen")
    checked(typed.run())
    assert typed.query_params["target"] in ("wir saßen", ["wir saßen"])
    assert [chip["shown"] for chip in packed(typed, "tokens")[0]["chips"]] == [
        "<pad>",
        "wir",
        "saßen",
        "</s>",
    ]


def test_masks_and_heads_off_belong_to_the_kind_that_is_chosen(folder):
    app = shown(site="cross")
    app.multiselect(key="control.hidden").set_value([4])
    checked(app.run())
    app.selectbox(key="control.site").set_value("encoder")
    checked(app.run())
    app.multiselect(key="control.heads_off").set_value([(0, 2)])
    checked(app.run())
    settings = Settings(
        cross=Settings(mask=masks.Own() & masks.Keys({4})), encoder=Settings(heads_off={(0, 2)})
    )
    expected = run(folder, settings=settings)
    assert "L0 H2 off; cross-attention: cat (4) hidden as a key in every layer" in html(app)
    np.testing.assert_allclose(
        matrix(figure(app)["weights"]), expected.encoder.attention(1).weights[1].numpy(), atol=1e-5
    )
    app.selectbox(key="control.site").set_value("cross")
    checked(app.run())
    seen = matrix(figure(app)["weights"])
    assert np.isnan(seen[:, 4]).all()
    np.testing.assert_allclose(np.nan_to_num(seen), expected.cross_attention(1).weights[1].numpy(), atol=1e-5)
    link = {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}
    np.testing.assert_array_equal(matrix(figure(opened(**link))["weights"]), seen)
    (back,) = [button for button in app.button if button.label == "Put everything back"]
    checked(back.click().run())
    untouched = run(folder).cross_attention(1).weights[1].numpy()
    np.testing.assert_allclose(matrix(figure(app)["weights"]), untouched, atol=1e-5)
    assert not {"mask", "elsewhere", "off"} & set(app.query_params)


def test_what_moved_is_told_of_the_tokens_that_look(folder):
    app = shown(site="encoder", off="0-2")
    before, after = (
        run(folder).encoder.final,
        run(folder, settings=Settings(encoder=Settings(heads_off={(0, 2)}))),
    )
    a, b = before.numpy().astype(float), after.encoder.final.numpy().astype(float)
    moved = 1 - (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert f"the largest 6 of {N_SOURCE}" in html(app)
    assert f"<span>{moved.max():.3f}</span>" in html(app).split("moved each final vector")[1]


def test_each_kind_has_the_masks_that_mean_something_there():
    keys = {site: [toggle.key for toggle in shown(site=site).toggle] for site in SITES}
    assert "control.full" in keys["self"]
    assert "control.causal" not in keys["self"]
    assert {"control.causal", "control.window"} <= set(keys["encoder"])
    assert not {"control.causal", "control.full", "control.window"} & set(keys["cross"])
    assert "its own mask: causal mask" in html(shown(site="self"))
    assert "cross-attention · no mask" in html(shown(site="cross"))
    assert "control.window" in [toggle.key for toggle in shown(site="cross", mask="window:1:1").toggle]


def test_checks_cover_all_three(folder):
    said, of = html(shown(site="cross")), run(folder)
    for site in SITES:
        assert f"rows sum to 1 within {share(row_sum_deviation(of, site))}" in said
        assert f"differ by {share(visible_difference(of, site))} at most" in said
    assert said.count("rows sum to 1") == 3


def test_a_run_counts_its_encoder_s_bytes(folder):
    of = cache.run(Asked(model="tiny t5", text=SOURCE, target=TARGET))
    states = [*of.resid_pre, of.stack_run.post, of.final]
    inside = [*of.encoder.resid_pre, of.encoder.stack_run.post, of.encoder.final]
    assert cache._run_bytes(of) == sum(state.nbytes for state in (*states, *inside))


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_special_tokens_of_both_sequences_are_hidden(folder, special):
    app = shown(site="cross", special=special)
    kept = run(folder).cross_attention(1).weights[1].numpy()[1:-1, :-1]
    kept = kept / kept.sum(axis=1, keepdims=True) if special == "renormalise" else kept
    np.testing.assert_allclose(matrix(figure(app)["weights"]), kept, atol=1e-5)


def test_what_comes_next_follows_the_target_s_token_in_focus(folder):
    for site, query, last in (("cross", "2", "Hund"), ("self", "4", "die"), ("encoder", "0", "Katze")):
        app, of = shown(site=site, query=query), run(folder)
        at = {"Hund": 2, "die": 4, "Katze": 5}[last]
        best = float(of.next_token(at).max())
        assert f"After “{last}”" in html(app)
        assert f"<span>{share(best)}</span>" in html(app).split("What comes next")[1]


def test_padding_is_the_source_s():
    app = shown(site="cross", pad="14")
    seen = matrix(figure(app)["weights"])
    assert seen.shape == (N_TARGET, 14)
    assert np.isnan(seen[:, N_SOURCE:]).all()
    assert not np.isnan(seen[:, :N_SOURCE]).any()


@pytest.mark.parametrize(
    ("site", "target"), [("self", TARGET), ("cross", TARGET), ("encoder", TARGET), ("cross", None)]
)
def test_the_script_gives_the_numbers_on_the_page(site, target):
    changes = Changes(heads_off=frozenset({(0, 2)}))
    view = ViewState(
        text=SOURCE, target=target, model="tiny t5", layer=1, head=1, heads_off=frozenset({(0, 0)})
    )
    of = scene(view.at("encoder").changed_to(changes).at(site))
    lines = export_view.export_view(of).script
    scope = {}
    exec(lines, scope)
    np.testing.assert_allclose(scope["weights"].numpy(), of.head.weights, atol=1e-5)


@pytest.mark.parametrize("site", SITES)
def test_files_hold_both_sequences(site):
    of = scene(ViewState(text=SOURCE, target=TARGET, model="tiny t5", site=site, layer=1, head=1))
    view = export_view.export_view(of)
    assert export_view.n_numbers(of) == sum(array.size for array in view.arrays.values())
    assert (view.site, len(view.tokens)) == (site, N_SOURCE if site == "encoder" else N_TARGET)
    np.testing.assert_allclose(view.arrays["weights"][1], of.head.weights, atol=1e-5)
    read = json.loads(export_menu.export.json(view))
    assert ("resid_crossed" in read["arrays"]) == (site != "encoder")
    assert ("key_tokens" in read["arrays"]) == (site == "cross")
    if site == "cross":
        assert read["arrays"]["key_tokens"]["values"][:3] == ["the", "dog", "chased"]
        assert np.array(read["arrays"]["key_input"]["values"]).shape == (N_SOURCE, 15)
    for make in (export_menu.export.csv, export_menu.export.png, export_menu.export.html):
        assert len(make(view)) > 1000


def test_tables_have_the_tokens_that_belong_to_their_rows(folder):
    app = shown(site="cross")
    app.session_state["steps.table"] = True
    checked(app.run())
    of = run(folder)
    for name, rows, values in (
        ("K, keys", SOURCE.split()[0], of.cross_attention(1).keys[1]),
        ("M, the source", SOURCE.split()[0], of.encoder.final),
        ("Q, queries", "<pad>", of.cross_attention(1).queries[1]),
        ("S, scores", "<pad>", of.cross_attention(1).scores[1]),
    ):
        app.selectbox(key="steps.table.matrix").set_value(name)
        seen = checked(app.run()).dataframe[0].value
        assert seen.index[0] == f"0 {rows}"
        np.testing.assert_allclose(seen.to_numpy(), values.numpy(), atol=1e-5)


def test_a_kind_of_attention_that_a_model_lacks_is_told():
    app = opened(s="I learn", site="cross", target=quote("ich lerne"))
    assert [plain(warning.value) for warning in app.warning] == [
        "minilm is not an encoder–decoder: it takes no target.",
        "This model has no cross-attention; what a link says of it was ignored.",
    ]
    assert "control.site" not in [box.key for box in app.selectbox]
    app.selectbox(key="control.layer").set_value(1)
    assert not checked(app.run()).warning
    assert not {"site", "target"} & set(app.query_params)


def test_another_model_keeps_the_sentence_and_lets_the_target_go():
    app = shown(site="cross")
    app.selectbox(key="control.model").set_value("minilm")
    checked(app.run())
    assert app.text_input(key="control.text").value == SOURCE
    assert not app.warning
    assert not {"site", "target"} & set(app.query_params)
