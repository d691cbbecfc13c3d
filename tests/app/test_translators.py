"""Encoder–decoders in Explore: three kinds of attention, rectangular matrices, a target typed or written."""

import re

import numpy as np
import pytest

from attention import load
from attention.figures.numbers import share
from attention.sites import SITES, SiteRun
from attention.ui import cache
from attention.ui.asked import Asked
from tests.app.screen import cells, checked, html, markup, numbers, packed
from tests.app.translators import CASES, N_SOURCE, N_TARGET, SOURCE, TARGET, across_by_hand, run, shown, write

BOTH = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for name in CASES:
        write(place, name)
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def test_a_cell_across_is_what_the_tensors_say(folder):
    app = shown(site="cross", query="5", key="7")
    q, k, v, weights = across_by_hand(folder, 1, 1)
    product, row = q[5] @ k[7], q[5] @ k.T
    expected = [product, product, product - row.max(), np.exp(product - row.max()), weights[5, 7]]
    assert numbers(markup(app, "products")) == pytest.approx(expected, abs=6e-4)
    rows = re.findall(r'data-position="(\d+)" data-weight="([^"]+)" data-norm="([^"]+)"', markup(app, "mix"))
    assert len(rows) == N_SOURCE
    for at, weight, norm in rows:
        assert float(weight) == pytest.approx(weights[5, int(at)], abs=1e-5)
        assert float(norm) == pytest.approx(np.linalg.norm(weights[5, int(at)] * v[int(at)]), abs=1e-4)
    np.testing.assert_allclose(cells(app), weights, atol=1e-5)


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
    np.testing.assert_allclose(np.nan_to_num(cells(app)), weights[1], atol=1e-5)
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
    np.testing.assert_allclose(cells(app), kept, atol=1e-5)


def test_what_comes_next_follows_the_target_s_token_in_focus(folder):
    for site, query, last in (("cross", "2", "Hund"), ("self", "4", "die"), ("encoder", "0", "Katze")):
        app, of = shown(site=site, query=query), run(folder)
        at = {"Hund": 2, "die": 4, "Katze": 5}[last]
        best = float(of.next_token(at).max())
        assert f"After “{last}”" in html(app)
        assert f"<span>{share(best)}</span>" in html(app).split("What comes next")[1]


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


def test_words_across_are_put_together_on_both_sides(folder, monkeypatch):
    """The first two tokens of either sequence are taken for the pieces of one word."""

    def first_two(tokens):
        return ((0, 1), *((at,) for at in range(2, len(tokens))))

    for module in ("overview", "sheets", "whole_words"):
        monkeypatch.setattr(f"attention.ui.{module}.groups", first_two)
    app = shown(site="cross", query="1", key="7", words="1")
    pieces = across_by_hand(folder, 1, 1)[3]
    columns = np.concatenate([pieces[:, :2].sum(axis=1, keepdims=True), pieces[:, 2:]], axis=1)
    words = np.concatenate([columns[:2].mean(axis=0, keepdims=True), columns[2:]])
    np.testing.assert_allclose(cells(app), words, atol=1e-5)
    light = packed(app, "source")[1]["weights"]
    np.testing.assert_allclose(light, np.repeat(words[0], [2, *[1] * (N_SOURCE - 2)]), atol=1e-5)
    assert packed(app, "sheet")[1]["shades"].shape[2:] == (N_TARGET - 1, N_SOURCE - 1)
    assert f"Where all {N_TARGET - 1} words of this head put their weight</div>" in html(app)
