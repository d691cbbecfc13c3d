"""What the measures read: which rows count, where they stand, and how long values are."""

from dataclasses import replace

import numpy as np

from attention.analysis import targets
from attention.analysis.moved import value_lengths
from attention.analysis.reading import pieces_of, reading, readings
from tests.analysis.test_measures import CASE_4A, CAUSAL_4, REPEATING, head
from tests.toys import toy


def test_rows_of_padding_are_not_counted():
    model = toy(pad_token_id=7)
    pieces = pieces_of(model.run([1, 5, 2], pad_to=6), words=False)
    ((rows, even),) = readings(model.run([1, 5, 2], pad_to=6).attention(1), pieces)
    assert rows.counted.tolist() == even.counted.tolist() == [True] * 3 + [False] * 3


def test_rows_have_places_of_their_own_in_every_strip():
    whole = reading(head(CASE_4A), allowed=CAUSAL_4)
    strip = replace(
        whole, weights=whole.weights[:, 2:], allowed=CAUSAL_4[2:], counted=whole.counted[2:], first_row=2
    )
    assert targets.on_itself(strip).values.tolist() == [[0.3, 0.4]]
    assert targets.on_previous(strip).values.tolist() == [[0.5, 0.3]]


def test_lengths_of_values_that_heads_share():
    trace = toy().run(REPEATING).attention(1)
    values, w_o = trace.values.numpy(), trace.params.w_o.numpy()
    expected = [np.linalg.norm(values[at // 3] @ w_o[at], axis=-1) for at in range(6)]  # 0 0 0 1 1 1
    np.testing.assert_allclose(value_lengths(trace), expected, atol=1e-12)
