"""Why is long context expensive: every number on the page is read off it and counted or computed again."""

import base64
import json
import re
from html import unescape

import numpy as np
import pytest

from attention import Settings, load, masks
from tests.app.screen import checked, html, markup, matrix, opened, plain
from tests.app.translators import write

PAGE = "../../pages/cost.py"
TEXT = "The developer deployed the application because it was ready."


def cost(**params):
    return opened(PAGE, **{key.replace("__", "."): text for key, text in params.items()})


def picture(app, name):
    """The traces of one picture by name."""
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.cost-{name}.figure"]
    return {plain(trace["name"]): trace for trace in json.loads(chart.proto.spec)["data"]}


def row(trace, axis="y"):
    values = trace[axis]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def said(app):
    return unescape(re.sub(r"<[^>]+>", "", html(app)))


def real(text):
    return float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))


def by_hand(model, layer, head, settings=None):
    """Masked scores and values of a head, in float64, from the residual stream and the params."""
    trace = model.run(TEXT, settings=settings or Settings()).attention(layer)
    x, p = trace.query_input.numpy(), trace.params
    q, k, v = (
        (x @ w[head].numpy() + b[head].numpy()).astype(np.float64)
        for w, b in ((p.w_q, p.b_q), (p.w_k, p.b_k), (p.w_v, p.b_v))
    )
    scores = q @ k.T / np.sqrt(q.shape[1])
    return np.where(trace.mask.numpy(), scores, -np.inf), v


def test_a_thousand_and_two_thousand_tokens_are_counted():
    drawn = markup(cost(), "squares")
    assert "1,000,000 scores a head · 4 MB" in drawn
    assert "4,000,000 scores a head · 16 MB" in drawn
    told = said(cost())
    assert "6 layers of 12 heads: 72 such squares, 288 MB at 1,000 tokens and 1.15 GB at 2,000" in told
    assert 72 * 4 * 1000**2 == 288e6
    assert 72 * 4 * 2000**2 == 1.152e9


def test_of_a_translator_the_decoder_is_counted_and_named(tmp_path, monkeypatch):
    config = load(write(tmp_path, "tiny marian")).config
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    view = {"s": "the dog", "target": "der Hund", "model": "tiny marian", "layer": "0", "head": "0"}
    app = opened(PAGE, **view)
    counted = f"decoder has {config.n_layers} layers of {config.n_heads} heads"
    assert counted in said(app)


def test_measuring_fits_slopes_to_what_it_measured_and_keeps_it():
    app = cost(cost__most="200")
    assert "It takes a few seconds" in said(app)
    checked(app.button(key="cost-measure").click().run())
    traces = picture(app, "time")
    names = ["visible steps", "fused kernel", "sliding window, 128 wide"]
    told = said(app)
    fitted = dict(zip(names, re.findall(r"N(−?\d\.\d\d) \(r² (\d\.\d{3})\)", told), strict=True))
    lines = [trace for name, trace in traces.items() if name.startswith("slope ")]
    for name, line in zip(names, lines, strict=False):
        sizes, times = row(traces[name], "x"), row(traces[name])
        assert sizes.tolist() == [12, 25, 50, 100, 200]
        assert (times > 0).all()
        slope, level = np.polyfit(np.log(sizes[-3:]), np.log(times[-3:]), 1)
        assert real(fitted[name][0]) == pytest.approx(slope, abs=0.006)
        assert len(lines) < 3 or row(line) == pytest.approx(np.exp(level) * sizes[-3:] ** slope, rel=1e-6)
    assert "hold a matrix of 160 kB" in told
    assert "never keeps its 40,000 scores" in told
    app.selectbox(key="page.cost.pattern").set_value("blocks")
    checked(app.run())
    assert row(picture(app, "time")["visible steps"]).tolist() == row(traces["visible steps"]).tolist()


@pytest.mark.parametrize("number", [1, 2, 4, 6, 9])
def test_a_tile_s_scores_and_running_numbers(minilm, number):
    app = cost(cost__rows="5", cost__keys="4", cost__tile=str(number))
    scores, _ = by_hand(minilm, 4, 4)
    rows = range(12)[5 * ((number - 1) // 3) :][:5]
    stop = 4 * ((number - 1) % 3) + 4
    titles = re.findall(r"<title>.*? \((\d+)\), .*? \((\d+)\): (−?[\d.]+)</title>", markup(app, "tiles"))
    held = {(int(query), int(key)): real(value) for query, key, value in titles}
    assert set(held) == {(query, key) for query in rows for key in range(stop - 4, stop)}
    assert all(value == pytest.approx(scores[at], abs=2e-4) for at, value in held.items())
    for line, query in zip(
        re.findall(r"<tr[^>]*data-query.*?</tr>", markup(app, "running")), rows, strict=True
    ):
        assert f'data-query="{query}"' in line
        met, before = scores[query, :stop], scores[query, : stop - 4]
        rise, alpha, total = re.findall(r'<td class="number">(.*?)</td>', line)
        assert real(re.search(r"<b>(.*?)</b>", rise)[1]) == pytest.approx(met.max(), abs=6e-4)
        assert real(total) == pytest.approx(np.exp(met - met.max()).sum(), rel=6e-4)
        if len(before):
            expected = np.exp(before.max() - met.max())
            assert real(re.sub("<.*?>", "", alpha)) == pytest.approx(expected, rel=6e-4)
        else:
            assert alpha == "nothing to correct"


def test_the_table_of_a_tile_has_its_scores_and_running_numbers(minilm):
    app = cost(cost__rows="5", cost__keys="4", cost__tile="2")
    app.session_state["cost.tiles.table"] = True
    table = checked(app.run()).dataframe[0].value
    scores, _ = by_hand(minilm, 4, 4)
    assert list(table.index) == ["0 [CLS]", "1 the", "2 developer", "3 deployed", "4 the"]
    assert list(table.columns) == ["4 the", "5 application", "6 because", "7 it", "m", "α", "l"]
    np.testing.assert_allclose(table.iloc[:, :4], scores[:5, 4:8], atol=2e-5)
    np.testing.assert_allclose(table["m"], scores[:5, :8].max(axis=1), atol=2e-5)
    raised = np.exp(scores[:5, :4].max(axis=1) - scores[:5, :8].max(axis=1))
    np.testing.assert_allclose(table["α"], raised, atol=2e-5)
    sums = np.exp(scores[:5, :8] - scores[:5, :8].max(axis=1, keepdims=True)).sum(axis=1)
    np.testing.assert_allclose(table["l"], sums, rtol=2e-5)


def test_half_way_the_output_is_that_of_the_keys_met_so_far(minilm):
    app = cost(cost__rows="5", cost__keys="4", cost__tile="5")
    scores, values = by_hand(minilm, 4, 4)
    shown = matrix(picture(app, "output")["values"])
    for query in range(10):
        stop = 12 if query < 5 else 8
        weights = np.exp(scores[query, :stop] - scores[query, :stop].max())
        np.testing.assert_allclose(shown[query], weights @ values[:stop] / weights.sum(), atol=2e-5)
    assert np.isnan(shown[10:]).all()


def test_the_end_is_the_dense_head_and_the_difference_on_screen_is_rounding(minilm):
    app = cost(cost__rows="5", cost__keys="4", cost__tile="9")
    scores, values = by_hand(minilm, 4, 4)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    dense = weights / weights.sum(axis=1, keepdims=True) @ values
    np.testing.assert_allclose(matrix(picture(app, "output")["values"]), dense, atol=2e-5)
    told = said(app)
    assert "The largest matrix ever held is 5 × 4: 20 scores of 144" in told
    difference = real(re.search(r"differs from whole matrices by at most ([\d.e−]+),", told)[1])
    assert 0 < difference <= 1e-12


def test_at_first_the_tile_is_one_that_corrects_something():
    app = cost()
    assert 'class="corrected"' in markup(app, "running")
    assert "everything gathered before, l and O, is multiplied by α" in said(app)
    assert app.slider(key="page.cost.tile").value > 1
    assert not [key for key in app.query_params if key.startswith("cost.")]


def test_a_tile_that_there_is_not_is_told_and_ignored():
    at_first = cost().slider(key="page.cost.tile").value
    app = cost(cost__tile="17")
    assert [plain(warning.value) for warning in app.warning] == [
        "There is no tile 17: this head is cut into 16 (1–16)."
    ]
    assert app.slider(key="page.cost.tile").value == at_first
    assert "cost.tile" not in app.query_params
    assert not cost(cost__tile="16").warning


@pytest.mark.parametrize(
    ("key", "value", "most"), [("tile", "0", "1,024"), ("keys", "0", "512"), ("rows", "513", "512")]
)
def test_tiles_that_no_text_has_are_told_and_ignored(key, value, most):
    app = cost(**{f"cost__{key}": value})
    said = f"The link's cost.{key} was ignored: {value} is not from 1 to {most}."
    assert [plain(warning.value) for warning in app.warning] == [said]
    assert not app.error
    assert markup(app, "tiles") == markup(cost(), "tiles")


def test_a_number_of_seven_digits_is_read_where_it_may_have_as_many():
    app = cost(cost__tokens="1000000")
    assert not app.warning
    assert app.query_params["cost.tokens"] in ("1000000", ["1000000"])


def test_causal_tiles_above_the_diagonal_are_passed_over(minilm):
    app = cost(mask="causal", cost__tile="2")
    assert "6 of 16 tiles are masked throughout and passed over" in said(app)
    assert markup(app, "tiles").count("−∞, masked") == 9
    told = said(app)
    assert real(re.search(r"by at most ([\d.e−]+),", told)[1]) <= 1e-12
    scores, _ = by_hand(minilm, 4, 4, Settings(mask=masks.Causal()))
    (first, *_) = re.findall(r"<tr[^>]*data-query.*?</tr>", markup(app, "running"))
    assert real(re.search(r"stays <b>(.*?)</b>", first)[1]) == pytest.approx(scores[0, 0], abs=6e-4)


def test_presets_cut_the_head_in_one_click():
    app = cost(cost__tile="3")
    checked(app.button(key="example-tiles-whole").click().run())
    assert "The largest matrix ever held is 12 × 12: 144 scores of 144" in said(app)
    assert app.query_params["cost.rows"] in ("12", ["12"])
    assert "cost.tile" not in app.query_params
    checked(app.button(key="example-tiles-uneven").click().run())
    assert "is 5 × 5: 25 scores of 144" in said(app)  # 12 = 5 + 5 + 2
    checked(app.button(key="example-tiles-quarters").click().run())
    assert "cost.rows" not in app.query_params


@pytest.mark.parametrize(
    ("value", "which"), [(0, "n_rows"), (13, "n_rows"), (0, "n_columns"), (99, "n_columns")]
)
def test_a_tile_of_nothing_or_too_much_is_one_sentence_and_nothing_is_lost(value, which):
    app = cost(cost__reach="3")
    app.number_input(key=f"page.cost.{which}").set_value(value)
    checked(app.run())
    kind = "queries" if which == "n_rows" else "keys"
    (error,) = app.error
    assert plain(error.value) == f"A tile takes from 1 to all 12 {kind} of the sequence; got {value}."
    assert app.number_input(key=f"page.cost.{which}").value == value
    assert app.slider(key="page.cost.reach").value == 3
    assert picture(app, "traffic")
    app.number_input(key=f"page.cost.{which}").set_value(2)
    checked(app.run())
    assert not app.error


@pytest.mark.parametrize(("name", "key", "value"), [("n_rows", "rows", 5), ("apart", "apart", 40)])
def test_an_emptied_box_keeps_its_number(name, key, value):
    app = cost(**{f"cost__{key}": str(value)})
    app.number_input(key=f"page.cost.{name}").set_value(None)
    assert not checked(app.run()).error
    assert app.number_input(key=f"page.cost.{name}").value == value


def test_more_tiles_than_one_can_step_through_are_one_sentence():
    app = cost(s="the " * 60, cost__rows="1", cost__keys="1")
    (error,) = app.error
    assert plain(error.value).startswith("Tiles of 1 × 1 would be 3,844, more than the 1,024")


@pytest.mark.parametrize(
    ("n", "d", "counts"),
    [
        (1024, 64, (4_456_448, 1_335_296, 1_180_672)),
        (4096, 64, (68_157_440, 18_186_240, 17_305_600)),
        (1024, 128, (4_718_592, 4_632_576, None)),
    ],
)
def test_what_moves_is_counted(n, d, counts):
    app = cost(cost__tokens=str(n), cost__d=str(d))
    bars = row(picture(app, "traffic")["MB"]) * 1e6 / 4
    dense, first, second = counts
    assert bars[:2] == pytest.approx([dense, first])
    assert second is None or bars[2] == pytest.approx(second)
    told = said(app)
    assert f"{dense:,} elements against {first:,} and {round(bars[2]):,}" in told
    assert f"{bars[0] / bars[1]:.2f} and {bars[0] / bars[2]:.2f} times less" in told
    assert f"both multiply N²·2d = {n * n * 2 * d:,} times" in told
    assert "It is exact, and still N² in arithmetic" in told


def test_tiles_that_move_more_are_said_to_move_more():
    """science.md, section 8, by hand: d = 128 and M = 16,384 make 32 passes over 1,024 tokens."""
    n, d, m = 1024, 128, 16_384
    passes = n // (m // (4 * d))
    dense = 4 * n * d + 4 * n * n
    first, second = 2 * n * d + passes * (3 * n * d + 4 * n), 2 * n * d + passes * 2 * n * d + n
    told = said(cost(cost__d=str(d), cost__fast=str(m)))
    assert f"{first / dense:.2f} times more and {second / dense:.2f} times more" in told
    assert "times less" not in told


def test_a_tile_that_is_masked_throughout_adds_nothing():
    """Under a causal mask the tile right of the diagonal; the first keys hidden, nothing is met yet."""
    later = cost(cost__rows="6", cost__keys="6", cost__tile="2", mask="causal")
    assert "The whole tile is masked and passed over: m, l and the output stay as they were." in said(later)
    first = cost(cost__rows="6", cost__keys="3", cost__tile="1", mask="hide:0-2")
    assert "Every key met so far is masked for these queries: there is nothing to gather yet." in said(first)


def test_too_little_fast_memory_is_one_sentence_and_a_preset_away():
    app = cost()
    checked(app.button(key="example-traffic-3").click().run())
    (error,) = app.error
    told = "A fast memory of 200 elements holds no tile: with d_head 64 it takes 256."
    assert plain(error.value) == told
    checked(app.button(key="example-traffic-0").click().run())
    assert not app.error


def pattern_cells(name, n=12, reach=2):
    behind = np.subtract.outer(np.arange(n), np.arange(n))
    cells = {
        "window": abs(behind) <= reach,
        "causal window": (behind >= 0) & (behind <= reach),
        "dilated": (abs(behind) <= 2 * reach) & (behind % 2 == 0),
        "blocks": np.equal.outer(np.arange(n) // (2 * reach), np.arange(n) // (2 * reach)),
    }
    cells["Longformer"] = cells["window"].copy()
    cells["Longformer"][0] = cells["Longformer"][:, 0] = True
    return cells.get(name)


def test_patterns_save_cells_and_lose_weight(minilm):
    app = cost()
    traces = picture(app, "patterns")
    scores, _ = by_hand(minilm, 4, 4)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    names = ["window", "causal window", "dilated", "blocks", "Longformer"]
    for at, name in enumerate(names):
        cells = pattern_cells(name)
        assert row(traces["of the cells"])[at] == pytest.approx(cells.sum() / 144), name
        kept = (weights * cells).sum(axis=1).mean()
        assert row(traces["of the attention weight"])[at] == pytest.approx(kept, abs=1e-5), name
        assert row(traces["by an even head"])[at] == pytest.approx(cells.sum(axis=1).mean() / 12), name


def test_the_chosen_pattern_is_what_is_cut(minilm):
    app = cost(cost__pattern="blocks", cost__reach="3")
    scores, values = by_hand(minilm, 4, 4)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    cells = pattern_cells("blocks", reach=3)
    shown = matrix(picture(app, "cut")["values"])
    assert np.array_equal(np.isnan(shown), ~cells)
    np.testing.assert_allclose(shown[cells], weights[cells], atol=1e-5)
    told = said(app)
    kept = (weights * cells).sum(axis=1)
    anew = weights * cells / kept[:, None]
    moved = np.linalg.norm(anew @ values - weights @ values) / np.linalg.norm(weights @ values)
    found = re.search(r"72 cells are left, (.*?) %; they hold (.*?) % of the weight \((.*?) % in", told)
    assert [float(part) for part in found.groups()] == pytest.approx(
        [50.0, 100 * kept.mean(), 100 * kept.min()], abs=0.06
    )
    assert f"output moves by {100 * moved:.1f} % of its length" in told


def test_paths_between_two_positions_and_the_sentence_about_writing():
    app = cost(cost__apart="300")
    counts = re.findall(r"<b>([\d,]+)</b>", markup(app, "kinds"))
    assert [int(count.replace(",", "")) for count in counts] == [
        1, 1, 1, 2000, 300, 1, 1, 150, 150, 1, 6, 6,
    ]  # fmt: skip
    assert "2,001,000 scores a head" in said(app)
    assert sum(range(1, 2001)) == 2_001_000
    lines = picture(app, "paths")
    assert row(lines["recurrent"]).tolist() == row(lines["recurrent"], "x").tolist()
    assert set(row(lines["self-attention"]).tolist()) == {1}


def test_positions_the_sequence_does_not_have_are_one_sentence():
    app = cost()
    app.number_input(key="page.cost.apart").set_value(0)
    checked(app.run())
    (error,) = app.error
    assert plain(error.value) == "Two of 2,000 positions are from 1 to 1,999 apart; got 0."


def test_bad_values_of_a_link_are_told_and_the_rest_is_kept():
    app = cost(cost__pattern="nope", cost__tile="0", cost__reach="3", cost__rows="x")
    told = [plain(warning.value) for warning in app.warning]
    assert len(told) == 3
    assert all(text.startswith("The link's cost.") for text in told)
    assert app.slider(key="page.cost.reach").value == 3


def test_a_text_too_long_to_draw_leaves_what_needs_no_text():
    app = cost(s="the " * 600)
    (error,) = app.error
    assert "602 tokens; tiles and patterns are drawn for up to 512" in plain(error.value)
    assert picture(app, "traffic")
    assert picture(app, "paths")


def test_other_layers_and_heads_are_chosen_beside(minilm):
    app = cost()
    app.selectbox(key="control.chosen.head").set_value(7)
    checked(app.run())
    scores, _ = by_hand(minilm, 4, 7)
    titles = re.findall(r"<title>.*? \((\d+)\), .*? \((\d+)\): (−?[\d.]+)</title>", markup(app, "tiles"))
    assert all(real(value) == pytest.approx(scores[int(q), int(k)], abs=2e-4) for q, k, value in titles)
    assert "L4 H7" in said(app)


def test_a_head_that_sees_nothing_has_nothing_for_patterns_to_keep():
    app = cost(mask="hide:0-11")
    assert "No token may see anything in this head" in said(app)
    assert not [one for one in app.get("plotly_chart") if one.key == "shown.cost-patterns.figure"]
    assert picture(app, "paths")
