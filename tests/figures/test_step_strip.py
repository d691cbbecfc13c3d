import json

import numpy as np
import pytest

from attention.figures.step_strip import BetweenStep, step_strip
from attention.figures.theme import DARK, LIGHT
from tests.figures.heads import head, words


def strip(arrays, query=2, key=1, **choices):
    n_queries, n_keys = arrays.scores.shape
    given = {"tokens": words(n_queries), "palette": LIGHT, "scale_text": "÷ √3", **choices}
    if n_keys != n_queries:
        given.setdefault("key_tokens", [f"k{i}" for i in range(n_keys)])
    return step_strip(arrays, query=query, key=key, **given)


def steps(made):
    return {step["name"]: step for step in made.header["steps"]}


def matrices(made, name):
    return [made.arrays[matrix["array"]] for matrix in steps(made)[name]["matrices"]]


def causal(n):
    return np.tril(np.ones((n, n), bool))


def test_seven_steps_in_order_with_their_formulas_and_shapes():
    header = strip(head()).header
    assert [(s["number"], s["name"], s["formula"]) for s in header["steps"]] == [
        (1, "Input", "X"),
        (2, "Queries, keys, values", "XW + b"),
        (3, "Scores", "S = QKᵀ"),
        (4, "Scaled", "S ÷ √3"),
        (5, "Masked", "S ÷ √3 + M"),
        (6, "Weights", "A = softmax"),
        (7, "Weighted sum", "Z = AV"),
    ]
    by_name = steps(strip(head()))
    assert by_name["Input"]["shape"] == "5 × 7"
    assert by_name["Queries, keys, values"]["shape"] == "5 × 3, 5 × 3, 5 × 4"
    assert by_name["Masked"]["shape"] == "nothing masked"
    assert by_name["Weights"]["shape"] == "by row  ·  0 to 1"
    assert by_name["Weighted sum"]["shape"] == "5 × 4"
    assert steps(strip(head(d_value=3)))["Queries, keys, values"]["shape"] == "three of 5 × 3"


def test_every_step_has_a_sentence_and_scores_are_told_from_weights():
    by_name = steps(strip(head()))
    assert all(step["sentence"].endswith(".") for step in by_name.values())
    assert "can be negative" in by_name["Scores"]["sentence"]
    assert "none is negative" in by_name["Weights"]["sentence"]


def test_the_payload_is_the_matrices_themselves():
    arrays = head()
    made = strip(arrays)
    expected = {
        "Input": [arrays.input],
        "Queries, keys, values": [arrays.queries, arrays.keys, arrays.values],
        "Scores": [arrays.scores],
        "Scaled": [arrays.scaled],
        "Masked": [arrays.masked],
        "Weights": [arrays.weights],
        "Weighted sum": [arrays.head_output],
    }
    for name, wanted in expected.items():
        for got, values in zip(matrices(made, name), wanted, strict=True):
            assert got.dtype == np.float32
            np.testing.assert_array_equal(got, values.astype(np.float32))


def test_the_number_of_the_pair_stands_under_each_step():
    arrays = head()
    by_name = steps(strip(arrays, query=2, key=1))
    score = arrays.queries[2] @ arrays.keys[1]
    assert by_name["Scores"]["value"] == f"{score:.3f}".replace("-", "−")
    assert by_name["Scaled"]["value"] == f"{score / np.sqrt(3):.3f}".replace("-", "−")
    assert by_name["Masked"]["value"] == by_name["Scaled"]["value"]
    assert by_name["Weights"]["value"] == f"{arrays.weights[2, 1]:.3f}"
    assert by_name["Weights"]["value_role"] == "primary"
    assert by_name["Input"]["value"] == by_name["Weighted sum"]["value"] == ""


def test_a_tiny_weight_is_not_shown_as_zero():
    arrays = head()
    arrays.weights[2, 1] = 3e-12
    assert steps(strip(arrays))["Weights"]["value"] == "3e−12"


def test_a_masked_pair_shows_minus_infinity_and_zero():
    made = strip(head(allowed=causal(5)), query=1, key=3)
    masked, weights = steps(made)["Masked"], steps(made)["Weights"]
    assert (masked["value"], masked["value_role"], masked["shape"]) == ("−∞", "masked", "10 cells at −∞")
    assert (weights["value"], weights["value_role"]) == ("0", "masked")
    assert matrices(made, "Masked")[0][1, 3] == -np.inf
    np.testing.assert_array_equal(made.arrays["allowed"], causal(5).astype(np.uint8))
    assert [step["name"] for step in made.header["steps"] if step["matrices"][0]["hatched"]] == [
        "Masked",
        "Weights",
    ]


def test_one_masked_cell_is_one_cell():
    allowed = np.ones((5, 5), bool)
    allowed[0, 1] = False
    assert steps(strip(head(allowed=allowed)))["Masked"]["shape"] == "1 cell at −∞"


def test_a_query_that_sees_nothing_is_marked_and_says_so():
    allowed = causal(5)
    allowed[2] = False
    made = strip(head(allowed=allowed), query=2, key=1)
    assert made.header["sightless"] == [2]
    assert steps(made)["Weights"]["value"] == "sees nothing"
    assert steps(strip(head(allowed=allowed), query=3, key=1))["Weights"]["value"] != "sees nothing"


def test_colours_end_at_the_largest_value_of_the_head_and_at_the_99th_percentile_of_the_input():
    arrays = head(n_queries=20, d_model=40)
    arrays.input[0, 0] = 1000.0
    by_name = steps(strip(arrays))
    assert by_name["Input"]["matrices"][0]["limit"] == pytest.approx(np.quantile(np.abs(arrays.input), 0.99))
    assert by_name["Scores"]["matrices"][0]["limit"] == pytest.approx(np.abs(arrays.scores).max())
    assert by_name["Weights"]["matrices"][0]["limit"] == 1.0
    assert not by_name["Weights"]["matrices"][0]["signed"]
    assert by_name["Queries, keys, values"]["matrices"][1]["limit"] == pytest.approx(
        np.abs(arrays.keys).max()
    )


def test_a_head_of_zeros_has_a_range_one_can_divide_by():
    arrays = head()
    for name in ("input", "queries", "keys", "values", "scores", "scaled", "masked", "head_output"):
        getattr(arrays, name)[...] = 0.0
    limits = [m["limit"] for step in strip(arrays).header["steps"] for m in step["matrices"]]
    assert min(limits) > 0


def test_the_input_is_pooled_to_48_columns_by_largest_magnitude():
    arrays = head(d_model=384)
    arrays.input[2, 8:16] = [0.1, -0.2, 0.3, -9.0, 0.1, 0.2, 0.3, 0.4]
    made = strip(arrays)
    matrix, words_of = matrices(made, "Input")[0], steps(made)["Input"]["matrices"][0]
    assert matrix.shape == (5, 48)
    assert matrix[2, 1] == -9.0
    assert (words_of["dims"], words_of["group"]) == (384, 8)


@pytest.mark.parametrize(("d_head", "columns"), [(1, 1), (32, 32), (54, 54), (64, 32), (256, 52)])
def test_wide_and_narrow_heads(d_head, columns):
    made = strip(head(d_head=d_head, d_value=d_head))
    assert [m.shape for m in matrices(made, "Queries, keys, values")] == [(5, columns)] * 3
    assert steps(made)["Queries, keys, values"]["matrices"][0]["dims"] == d_head


def test_one_token():
    made = strip(head(1), query=0, key=0)
    assert steps(made)["Weights"]["value"] == "1.000"
    assert made.header["query_labels"] == ["w0"]
    assert made.header["note"] == ""


def test_64_tokens_are_shown_whole():
    assert strip(head(64), query=60, key=2).arrays["allowed"].shape == (64, 64)


def test_a_long_sequence_shows_a_window_round_the_pair():
    arrays = head(200)
    made = strip(arrays, query=50, key=100)
    header = made.header
    assert header["note"] == "queries 30–69 and keys 80–119 of 200"
    assert (header["first_query"], header["first_key"], header["n_queries"]) == (30, 80, 200)
    assert header["query_labels"] == words(200)[30:70]
    assert header["key_labels"] == words(200)[80:120]
    q, k, v = matrices(made, "Queries, keys, values")
    np.testing.assert_array_equal(q, arrays.queries[30:70].astype(np.float32))
    np.testing.assert_array_equal(k, arrays.keys[80:120].astype(np.float32))
    np.testing.assert_array_equal(v, arrays.values[80:120].astype(np.float32))
    np.testing.assert_array_equal(
        matrices(made, "Weights")[0], arrays.weights[30:70, 80:120].astype(np.float32)
    )
    assert steps(made)["Scores"]["value"] == f"{arrays.scores[50, 100]:.3f}".replace("-", "−")
    assert steps(made)["Scores"]["shape"].startswith("200 × 200")


@pytest.mark.parametrize(("query", "first"), [(0, 0), (19, 0), (21, 1), (199, 160), (180, 160)])
def test_the_window_stays_inside_the_sequence(query, first):
    header = strip(head(200), query=query, key=0).header
    assert header["first_query"] == first
    assert len(header["query_labels"]) == 40
    assert first <= query < first + 40


def test_rectangular_attention_has_its_own_key_tokens():
    arrays = head(3, 90)
    header = strip(arrays, query=1, key=89).header
    assert header["note"] == "keys 50–89 of 90"
    assert header["query_labels"] == ["w0", "w1", "w2"]
    assert header["key_labels"][-1] == "k89"
    assert strip(head(90, 80), query=1, key=79).header["note"] == "queries 0–39 of 90 and keys 40–79 of 80"


def test_a_family_may_put_steps_before_the_mask():
    arrays = head()
    capped = 50 * np.tanh(arrays.scaled / 50)
    cap = BetweenStep(name="Soft cap", formula="S′ = 50 tanh(S/50)", sentence="Bent.", scores=capped)
    made = strip(arrays, between=[cap])
    assert [step["name"] for step in made.header["steps"]][3:6] == ["Scaled", "Soft cap", "Masked"]
    assert [step["number"] for step in made.header["steps"]] == list(range(1, 9))
    assert steps(made)["Masked"]["formula"] == "S′ + M"
    np.testing.assert_array_equal(matrices(made, "Soft cap")[0], capped.astype(np.float32))


def test_the_share_through_w_o_stands_beside_z():
    contribution = np.random.default_rng(1).normal(size=(5, 96))
    made = strip(head(contribution=contribution), share_of_layer=0.12)
    assert [m["label"] for m in steps(made)["Weighted sum"]["matrices"]] == ["Z", "ZWᴼ"]
    assert steps(made)["Weighted sum"]["value"] == "12 % of the layer"
    pooled = matrices(made, "Weighted sum")[1]
    pairs = contribution.reshape(5, 48, 2)
    np.testing.assert_allclose(np.abs(pooled), np.abs(pairs).max(axis=-1), rtol=1e-6)


def test_the_last_number_says_what_it_is_and_that_it_is_no_cell_s():
    last = steps(strip(head(), share_of_layer=-0.05))["Weighted sum"]
    assert last["value"] == "−5 % of the layer"
    assert last["value_says"].startswith("−5 %: this head’s share of what the layer’s attention adds")
    assert last["sentence"].endswith(last["value_says"])
    nothing = steps(strip(head(), share_of_layer=float("nan")))["Weighted sum"]
    assert nothing["value"] == "no share"
    assert "adds nothing" in nothing["sentence"]
    assert all(not step["value_says"] for step in strip(head()).header["steps"])


def test_only_queries_and_keys_are_said_to_be_turned():
    made = steps(strip(head(), projection_text="XW", then=("normed", "turned")))["Queries, keys, values"]
    assert made["formula"] == "XW, Q and K normed, turned"
    assert "Queries and keys are then normed and turned, values are not." in made["sentence"]
    assert "values are not" not in steps(strip(head()))["Queries, keys, values"]["sentence"]


def test_the_numbers_are_whole_where_the_picture_is_pooled():
    arrays = head(200, d_model=384)
    made = strip(arrays, query=50, key=100)
    numbers = {matrix.name: matrix for matrix in made.numbers}
    assert list(numbers) == [
        "X, input (query × dimension)", "Q, queries (query × dimension)", "K, keys (key × dimension)",
        "V, values (key × dimension)", "S, scores (query × key)", "Scaled (query × key)",
        "Masked (query × key)", "A, weights (query × key)", "Z, weighted sum (query × dimension)",
    ]  # fmt: skip
    x, k = numbers["X, input (query × dimension)"], numbers["K, keys (key × dimension)"]
    np.testing.assert_array_equal(x.values, arrays.input[30:70])
    np.testing.assert_array_equal(k.values, arrays.keys[80:120])
    assert (x.rows[0], x.columns[-1], k.rows[0]) == ("30 w30", "383", "80 w80")
    weights = numbers["A, weights (query × key)"]
    np.testing.assert_array_equal(weights.values, arrays.weights[30:70, 80:120])
    assert (weights.rows[0], weights.columns[0]) == ("30 w30", "80 w80")


def test_labels_are_plain_and_colours_are_those_of_the_theme():
    header = strip(head(), tokens=["<b>", "a\nb", "", "x", "y"], palette=DARK).header
    assert header["query_labels"][:3] == ["<b>", "a↵b", "∅"]
    assert header["palette"]["query"] == DARK.query
    assert "name" not in header["palette"]
    assert header["ramps"]["weights"].startswith(DARK.bg.removeprefix("#"))
    assert {len(ramp) for ramp in header["ramps"].values()} == {256 * 6}


def test_the_header_is_json():
    made = strip(head(200, allowed=np.tril(np.ones((200, 200), bool))), query=50, key=100)
    assert json.loads(json.dumps(made.header, allow_nan=False)) == json.loads(json.dumps(dict(made.header)))


def test_a_head_that_is_off_says_why_its_sum_is_zero():
    last = strip(head(), off=True).header["steps"][-1]
    assert (last["formula"], last["shape"]) == ("Z = 0 · AV", "5 × 4  ·  head off")
    assert "This head is off" in last["sentence"]
    assert "off" not in strip(head()).header["steps"][-1]["sentence"]
