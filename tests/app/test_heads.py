"""The Heads page's numbers, recomputed in NumPy from the checkpoint's tensors and the residual stream."""

import base64
import json
import re

import numpy as np
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from attention.analysis.measures import MEASURES
from tests.app.screen import checked, html, matrix, opened, packed, plain

PAGE = "../../pages/heads.py"
TEXT = "The lorry passed the hedgerows."
PIECES = ["[CLS]", "the", "lo", "##rry", "passed", "the", "hedge", "##row", "##s", ".", "[SEP]"]
WORDS = [[0], [1], [2, 3], [4], [5], [6, 7, 8], [9], [10]]
LAYERS, HEADS, N = 6, 12, 11


def linear(x, tensors, name):
    """A learned map, in float64."""
    return x @ tensors[f"{name}.weight"].numpy().astype(float).T + tensors[f"{name}.bias"].numpy()


@pytest.fixture(scope="module")
def weights(minilm):
    """All heads' weights, [layer head query key], in NumPy float64 from raw tensors."""
    run, tensors = minilm.run(TEXT), minilm.checkpoint.tensors
    assert [token.text for token in run.tokens] == PIECES
    found = np.zeros((LAYERS, HEADS, N, N))
    for layer in range(LAYERS):
        x = run.resid_pre[layer].numpy().astype(float)
        name = f"encoder.layer.{layer}.attention.self"
        q, k = (linear(x, tensors, f"{name}.{which}") for which in ("query", "key"))
        for head in range(HEADS):
            part = slice(32 * head, 32 * head + 32)
            e = np.exp(q[:, part] @ k[:, part].T / np.sqrt(32))
            found[layer, head] = e / e.sum(axis=1, keepdims=True)
    return found


def in_words(weights):
    """Keys summed and queries averaged, a cell at a time."""
    found = np.zeros((len(WORDS), len(WORDS)))
    for row, queries in enumerate(WORDS):
        for column, keys in enumerate(WORDS):
            found[row, column] = np.mean([sum(weights[q, k] for k in keys) for q in queries])
    return found


def on_previous(weights):
    """The mean below the diagonal, of every head."""
    return np.array([[np.diagonal(head, -1).mean() for head in layer] for layer in weights])


def sheet(app):
    (found,) = [element.key for element in app.get("bidi_component") if element.key.startswith("heads-sheet")]
    return packed(app, found)


def grid(app, name):
    """The values of one of the page's grids, as its picture has them."""
    chart = chart_of(app, name)
    (values,) = [trace for trace in chart if trace["name"] == "values"]
    return matrix(values)


def chart_of(app, name):
    (found,) = [chart for chart in app.get("plotly_chart") if f"shown.heads-{name}.figure" in chart.proto.id]
    return json.loads(found.proto.spec)["data"]


def array(y):
    """The numbers of a chart's series."""
    return np.frombuffer(base64.b64decode(y["bdata"]), y["dtype"])


def ranked(app, name):
    """The heads of a list, from its buttons, and the numbers beside them."""
    buttons = [button for button in app.button if str(button.key).startswith("rank-")]
    numbers = re.findall(r'class="rank[ a-z]*">.*?<b>(.*?)</b>', html(app))
    lines = {
        tuple(int(at) for at in re.findall(r"\d+", button.label)): float(number.replace("−", "-"))
        for button, number in zip(buttons, numbers, strict=True)
        if button.key.startswith(f"rank-{name}-")
    }
    return list(lines), list(lines.values())


def table(app):
    """The measurements of the chosen head: name → mean, even, least, most, rows; NaN is an empty cell."""
    (frame,) = [table.value for table in app.dataframe if "measure" in table.value.columns]
    return {name: numbers for name, *numbers in frame.itertuples(index=False)}


def written(app):
    """The same as it is written in the cells."""
    (found,) = [table for table in app.dataframe if "measure" in table.value.columns]
    frame = convert_arrow_bytes_to_pandas_df(found.proto.arrow_data.styler.display_values)
    assert found.proto.placeholder == "–"
    return {name: numbers for name, *numbers in frame.itertuples(index=False)}


def chosen_lines(app, name):
    """The lines of a list that are marked as shown."""
    marks = re.findall(r'class="rank( chosen)?">', html(app))
    buttons = [button for button in app.button if str(button.key).startswith("rank-")]
    return [
        button.label
        for button, mark in zip(buttons, marks, strict=True)
        if mark and button.key.startswith(f"rank-{name}-")
    ]


def test_the_sheet_has_every_head_s_measure_as_colour_and_number(weights):
    words, arrays = sheet(opened(PAGE, s=TEXT))
    expected = on_previous(weights)
    shown = [[float(text) for text in row] for row in words["texts"]]
    np.testing.assert_allclose(shown, expected, atol=0.0051)
    shades = arrays["shades"][..., 0, 0]
    np.testing.assert_allclose(shades / 255, expected / expected.max(), atol=0.003)
    pair, measure = words["notes"][0][2].split("\n")
    note = re.fullmatch(r"On the previous token ([\d.]+) \(even weights: ([\d.]+)\)", measure)
    assert float(note[1]) == pytest.approx(expected[0, 2], abs=1e-4)
    assert float(note[2]) == pytest.approx(1 / N, abs=1e-4)
    query, key = np.unravel_index(weights[0, 2].argmax(), (N, N))
    largest = f"{weights[0, 2].max():.3f}"
    assert pair == f"strongest {PIECES[query]} ({query}) → {PIECES[key]} ({key})  {largest}"


def test_the_ten_highest_stand_in_order_with_their_values(weights):
    app, expected = opened(PAGE, s=TEXT), on_previous(weights)
    order = sorted(np.ndindex(LAYERS, HEADS), key=lambda head: -expected[head])[:10]
    heads, numbers = ranked(app, "top")
    assert heads == order
    np.testing.assert_allclose(numbers, [expected[head] for head in order], atol=6e-4)
    assert "10 of 72 heads" in html(app)


def test_the_sheet_by_value_has_the_highest_first(weights):
    app = opened(PAGE, s=TEXT, **{"heads.sort": "value"})
    order = sorted(np.ndindex(LAYERS, HEADS), key=lambda head: -on_previous(weights)[head])
    words, _ = sheet(app)
    assert [name for row in words["names"] for name in row] == [f"L{layer} H{head}" for layer, head in order]


def test_every_measure_of_the_chosen_head_is_in_the_table(weights):
    app = opened(PAGE, s=TEXT, layer="1", head="5")
    a, found = weights[1, 5], table(app)
    assert list(found) == [measure.name for measure in MEASURES]
    rows, keys = np.indices(a.shape)
    plain_numbers = {
        "Effective number of tokens": np.exp(-(a * np.log(a)).sum(1)).mean(),
        "Entropy": -(a * np.log2(a)).sum(1).mean(),
        "Normalised entropy": (-(a * np.log(a)).sum(1) / np.log(N)).mean(),
        "Distance": (a * abs(rows - keys)).sum(1).mean(),
        "Signed distance": (a * (keys - rows)).sum(1).mean(),
        "On itself": np.diagonal(a).mean(),
        "On the next token": np.diagonal(a, 1).mean(),
        "On the first token": a[1:, 0].mean(),
        "On special tokens": (a[:, 0] + a[:, 10]).mean(),
        "On equal tokens": a[5, 1],
        "Induction, after an equal token": a[5, 2],
        "On the largest": a.max(1).mean(),
        "On the three largest": np.sort(a, axis=1)[:, -3:].sum(1).mean(),
        "Tokens for nine tenths": np.mean([1 + (np.cumsum(sorted(row)[::-1]) < 0.9).sum() for row in a]),
    }
    for name, expected in plain_numbers.items():
        assert found[name][0] == pytest.approx(expected, rel=1e-4), name
    assert found["On equal tokens"][4] == 1
    assert found["Distance"][1:] == pytest.approx([(N * N - 1) / (3 * N), 0, 10, 11])
    assert np.isnan(found["Share of the layer's update"][1])
    assert found["Share of the layer's update"][2:4] == [-np.inf, np.inf]
    assert str(found["Signed distance"][1]) == "0.0"  # of even weights, without the sign that rounding leaves


def test_a_measure_is_written_with_digits_to_compare_and_a_dash_where_there_is_no_number(weights):
    found, (rows, keys) = written(opened(PAGE, s=TEXT, layer="4", head="4")), np.indices((N, N))
    distance = (weights[4, 4] * (keys - rows)).sum(1).mean()
    assert distance < 0
    assert found["Signed distance"] == [f"−{-distance:.3f}", "0", "−10", "10", "11"]
    assert found["Effective number of tokens"][1:] == ["11.00", "1", "11", "11"]
    assert found["Share of the layer's update"][1:4] == ["–", "−∞", "∞"]
    assert found["Value-weighted norm"][3] == "∞"


def test_the_page_says_where_the_chosen_head_stands_and_shows_the_highest_on_request(weights):
    app, expected = opened(PAGE, s=TEXT, layer="4", head="4"), on_previous(weights)
    place = 1 + (expected > expected[4, 4]).sum()
    assert f"On the previous token: <b>{expected[4, 4]:.3f}</b>, {place}st of 72 heads" in html(app)
    assert chosen_lines(app, "top") == []
    highest = np.unravel_index(expected.argmax(), expected.shape)
    (button,) = [button for button in app.button if button.key == "heads.highest"]
    assert button.label == "Highest: L{} H{}".format(*highest)
    app = checked(button.click().run())
    assert (app.query_params["layer"], app.query_params["head"]) == tuple(map(str, highest))
    np.testing.assert_allclose(grid(app, "weights"), weights[highest], atol=2e-6)
    assert f"<b>{expected[highest]:.3f}</b>, the highest of 72 heads" in html(app)
    assert "heads.highest" in [button.key for button in app.button]
    assert chosen_lines(app, "top") == ["L{} H{}".format(*highest)]


def test_a_line_of_the_highest_goes_to_its_head_on_the_whole_page(weights):
    app = opened(PAGE, s=TEXT)
    (third,) = [button for button in app.button if button.key == "rank-top-2"]
    app = checked(third.click().run())
    head = ranked(app, "top")[0][2]
    np.testing.assert_allclose(grid(app, "weights"), weights[head], atol=2e-6)
    assert chosen_lines(app, "top") == [third.label]
    assert f"{third.label} measured" in html(app)
    assert f"Heads like {third.label}" in html(app)
    assert tuple(sheet(app)[0]["selected"]) == head
    assert ", 3rd of 72 heads" in html(app)


def test_what_values_say_is_in_the_table(minilm, weights):
    found = table(opened(PAGE, s=TEXT, layer="3", head="7"))
    tensors, name = minilm.checkpoint.tensors, "encoder.layer.3.attention"
    x, part = minilm.run(TEXT).resid_pre[3].numpy().astype(float), slice(7 * 32, 8 * 32)
    v_all = x @ tensors[f"{name}.self.value.weight"].numpy().T + tensors[f"{name}.self.value.bias"].numpy()
    w_o = tensors[f"{name}.output.dense.weight"].numpy().astype(float)
    moved = weights[3, 7][:, :, None] * (v_all[:, part] @ w_o[:, part].T)[None]
    lengths = np.linalg.norm(moved, axis=-1)
    assert found["Value-weighted norm"][0] == pytest.approx(lengths.sum(1).mean(), rel=1e-4)
    special = lengths[:, [0, 10]].sum(1) / lengths.sum(1)
    assert found["Norm on special tokens"][0] == pytest.approx(special.mean(), rel=1e-4)
    parts = np.stack(
        [weights[3, h] @ v_all[:, 32 * h : 32 * h + 32] @ w_o[:, 32 * h : 32 * h + 32].T for h in range(12)]
    )
    output = parts.sum(axis=0) + tensors[f"{name}.output.dense.bias"].numpy()
    share = ((parts[7] * output).sum(1) / (output * output).sum(1)).mean()
    assert found["Share of the layer's update"][0] == pytest.approx(share, rel=1e-3)


def test_heads_like_this_one_are_the_nearest_by_jensen_shannon_and_a_click_goes_there(weights):
    app = opened(PAGE, s=TEXT, layer="1", head="5")

    def distance(p, q):
        m = (p + q) / 2
        bits = (p * np.log2(p / m)).sum(1) / 2 + (q * np.log2(q / m)).sum(1) / 2
        return np.sqrt(np.maximum(bits, 0)).mean()

    others = [head for head in np.ndindex(LAYERS, HEADS) if head != (1, 5)]
    order = sorted(others, key=lambda head: distance(weights[1, 5], weights[head]))[:6]
    heads, numbers = ranked(app, "alike")
    assert heads == order
    expected = [distance(weights[1, 5], weights[head]) for head in order]
    np.testing.assert_allclose(numbers, expected, atol=6e-3)
    (first,) = [button for button in app.button if button.key == "rank-alike-0"]
    checked(first.click().run())
    assert (app.query_params["layer"], app.query_params["head"]) == tuple(map(str, order[0]))
    np.testing.assert_allclose(grid(app, "weights"), weights[order[0]], atol=2e-6)


def test_pieces_are_put_together_everywhere(weights):
    app = opened(PAGE, s=TEXT, layer="1", head="5", words="1")
    np.testing.assert_allclose(grid(app, "weights"), in_words(weights[1, 5]), atol=2e-6)
    np.testing.assert_allclose(grid(app, "mean"), in_words(weights.mean(axis=(0, 1))), atol=2e-6)
    merged = np.array([[in_words(head) for head in layer] for layer in weights])
    shown = [[float(text) for text in row] for row in sheet(app)[0]["texts"]]
    np.testing.assert_allclose(shown, on_previous(merged), atol=0.0051)
    assert "pieces put together: 8 words of 11 tokens" in html(app)
    (switch,) = [toggle for toggle in app.toggle if toggle.label == "Whole words"]
    assert switch.value
    checked(switch.set_value(False).run())
    assert "words" not in app.query_params
    np.testing.assert_allclose(grid(app, "weights"), weights[1, 5], atol=2e-6)


@pytest.mark.parametrize("summary", ["mean", "max", "rollout", "even"])
def test_the_whole_model_summed_up(weights, summary):
    rolled, even = np.eye(N), np.eye(N)
    for layer in weights:
        rolled = (layer.mean(axis=0) + np.eye(N)) / 2 @ rolled
        even = (np.full((N, N), 1 / N) + np.eye(N)) / 2 @ even
    expected = {
        "mean": weights.mean(axis=(0, 1)),
        "max": weights.max(axis=(0, 1)),
        "rollout": rolled,
        "even": even,
    }
    app = opened(PAGE, s=TEXT, **{"heads.summary": summary})
    np.testing.assert_allclose(grid(app, summary), expected[summary], atol=2e-6)
    if summary != "max":
        np.testing.assert_allclose(grid(app, summary).sum(axis=1), 1, atol=1e-6)
    assert ("Rows do not sum to 1" in html(app)) == (summary == "max")


def test_what_each_token_receives(weights):
    app = opened(PAGE, s=TEXT, layer="4", head="4", **{"heads.summary": "received"})
    numbers = {trace["name"]: array(trace["y"]) for trace in chart_of(app, "received")}
    np.testing.assert_allclose(numbers["all heads"], weights.mean(axis=(0, 1, 2)), atol=2e-6)
    np.testing.assert_allclose(numbers["L4 H4"], weights[4, 4].mean(axis=0), atol=2e-6)
    np.testing.assert_allclose(numbers["even weights"], np.full(N, 1 / N), atol=1e-9)


def test_padding_gives_no_token_anything(weights):
    """Hidden padding keeps rows of its own, and they are not the text's."""
    link = {"layer": "4", "head": "4", "pad": "16", "heads.summary": "received"}
    app = opened(PAGE, s=TEXT, **link)
    numbers = {trace["name"]: array(trace["y"]) for trace in chart_of(app, "received")}
    np.testing.assert_allclose(numbers["L4 H4"][:N], weights[4, 4].mean(axis=0), atol=2e-6)
    np.testing.assert_allclose(numbers["all heads"][:N], weights.mean(axis=(0, 1, 2)), atol=2e-6)
    assert np.isnan(numbers["even weights"][N:]).all()


def test_squares_of_weights_may_end_at_each_head_s_largest(weights):
    app = opened(PAGE, s=TEXT, **{"heads.squares": "weights", "sheet.shade": "head"})
    words, arrays = sheet(app)
    largest = weights.max(axis=(2, 3), keepdims=True)
    expected = np.rint((weights / largest) ** 0.7 * 255)
    assert np.abs(arrays["shades"].astype(float) - expected).max() <= 1
    assert words["query_tokens"] == []  # a shade no longer says which weight it is
    assert "the largest of each square" in html(app)


def test_a_mask_is_measured_and_named(minilm):
    app = opened(PAGE, s=TEXT, mask="causal", layer="0", head="3")
    found = table(app)
    assert np.isnan(found["On the next token"][0])
    assert found["On the next token"][4] == 0
    assert found["Distance"][1] == pytest.approx((N - 1) / 4)
    assert "causal mask in every layer" in html(app)


def test_what_no_head_can_be_measured_by_is_hatched_and_said_and_never_zero():
    app = opened(PAGE, s="I learn.", **{"heads.measure": "induction"})
    words, _ = sheet(app)
    assert {text for row in words["texts"] for text in row} == {"–"}
    assert len(words["hatched"]) == LAYERS * HEADS
    assert ranked(app, "top") == ([], [])
    assert "heads.highest" not in [button.key for button in app.button]
    assert "Induction, after an equal token: not measurable here" in html(app)
    assert "Not measurable on this text: it takes rows that may see such a token" in html(app)


def test_the_definition_range_count_and_warning_are_told():
    said = html(opened(PAGE, s=TEXT, **{"heads.measure": "previous"}))
    assert "The weight a row puts on the token before it." in said
    assert "10 of 11 rows counted" in said
    assert "Range: 0 to 1." in said
    assert "One sentence is one sample" in said


def test_formulas_of_all_measures_are_written_as_formulas():
    said = html(opened(PAGE, s=TEXT, **{"heads.measure": "update"}))
    assert "<i>c · o / o · o, c = z W<sub>O</sub>, o = Σ c + b<sub>O</sub></i>" in said
    formulas = re.findall(r"<i>(.*?)</i>", said)
    assert not [one for one in formulas if "_" in one or "^" in one]
    assert len(formulas) > len(MEASURES)


def test_choices_are_written_to_the_link_and_read_from_it():
    app = opened(PAGE, s=TEXT)
    (measure,) = [box for box in app.selectbox if box.label == "Measure"]
    checked(measure.set_value("entropy").run())
    assert app.query_params["heads.measure"] == "entropy"
    assert "Entropy" in html(app)
    again = opened(PAGE, **app.query_params)
    assert next(box for box in again.selectbox if box.label == "Measure").value == "entropy"


def test_an_older_link_shows_what_it_showed_and_is_written_anew_with_the_first_change(weights):
    older = {"heads.words": "1", "heads.shade": "head", "heads.squares": "weights"}
    app = opened(PAGE, s=TEXT, layer="1", head="5", **older)
    assert not app.warning
    np.testing.assert_allclose(grid(app, "weights"), in_words(weights[1, 5]), atol=2e-6)
    assert sheet(app)[1]["shades"].max(axis=(2, 3)).min() == 255
    assert app.query_params["heads.words"] == "1"  # no step back that leads nowhere
    (switch,) = [toggle for toggle in app.toggle if toggle.label == "Whole words"]
    app = checked(switch.set_value(False).run())
    np.testing.assert_allclose(grid(app, "weights"), weights[1, 5], atol=2e-6)
    assert not {"heads.words", "heads.shade", "words"} & set(app.query_params)
    assert app.query_params["sheet.shade"] == "head"
    np.testing.assert_allclose(grid(checked(app.run()), "weights"), weights[1, 5], atol=2e-6)


def test_an_older_link_opened_on_another_page_keeps_nothing_of_its_former_keys():
    app = opened("../../pages/explore.py", s=TEXT, **{"heads.words": "1", "heads.measure": "self"})
    assert not app.warning
    (switch,) = [toggle for toggle in app.toggle if toggle.label == "Whole words"]
    assert switch.value
    app = checked(switch.set_value(False).run())
    assert "heads.words" not in app.query_params
    assert app.query_params["heads.measure"] == "self"
    assert not next(toggle for toggle in checked(app.run()).toggle if toggle.label == "Whole words").value


def test_a_wrong_link_is_told_and_shown_without():
    app = opened(PAGE, s=TEXT, layer="9", **{"heads.measure": "soul", "words": "maybe", "heads.x": "1"})
    said = [plain(warning.value) for warning in app.warning]
    assert any("heads.measure was ignored: “soul” is not one of effective" in one for one in said)
    assert any("The link's words was ignored: “maybe” is not one of 0, 1" in one for one in said)
    assert any("heads.x” means nothing here" in one for one in said)
    assert any("There is no layer 9: the model has 6" in one for one in said)
    assert "On the previous token" in html(app)


def test_a_blank_sentence_is_refused_in_a_sentence():
    app = opened(PAGE, s="   ")
    assert any("blank" in plain(error.value) for error in app.error)


def test_the_reader_s_text_is_never_markup():
    said = html(opened(PAGE, s="<script>alert(1)</script> <b>bold</b>"))
    assert "<script>alert" not in said
    assert "<b>bold" not in said


def test_the_measure_of_induction_is_found_by_that_word():
    assert [measure.key for measure in MEASURES if "induction" in measure.name.lower()] == ["induction"]
