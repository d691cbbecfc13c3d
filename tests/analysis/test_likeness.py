"""How alike heads are, against values worked out elsewhere and plain NumPy."""

import numpy as np
import pytest
import torch

from attention.analysis.likeness import divergence_bits, nearest, row_distances
from attention.analysis.reading import pieces_of
from tests.toys import toy

ONE = torch.tensor([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]).double()
OTHER = torch.tensor([[1, 0, 0], [0.2, 0.8, 0], [0.1, 0.4, 0.5]]).double()


def test_the_divergence_of_two_rows():
    rows = torch.tensor([[0.5, 0.5, 0], [0.1, 0.4, 0.5]]).double()
    assert float(divergence_bits(rows[0], rows[1])) == pytest.approx(0.359009, abs=1e-6)
    np.testing.assert_allclose(divergence_bits(ONE, OTHER), [0, 0.073104, 0.359009], atol=1e-6)


def test_the_distance_of_two_heads_is_the_mean_of_roots():
    assert float(row_distances(ONE, OTHER[None])[0].mean()) == pytest.approx(0.289850, abs=1e-6)
    assert float(row_distances(ONE, ONE[None]).max()) == 0


def by_hand(p, q):
    middle = (p + q) / 2
    terms = [
        sum(x * np.log2(x / m) for x, m in zip(row, mid, strict=True) if x > 0)
        for one in (p, q)
        for row, mid in zip(one, middle, strict=True)
    ]
    return np.sqrt((np.array(terms[: len(p)]) + np.array(terms[len(p) :])) / 2).mean()


@pytest.mark.parametrize("words", [False, True])
def test_the_nearest_heads_of_a_run(words, monkeypatch):
    run = toy().run([1, 5, 2, 5, 9, 3])
    monkeypatch.setattr("attention.analysis.reading.STRIP_CELLS", 4 * 6 * 6)
    ours = run.attention(1).weights[2].numpy()
    expected = sorted(
        (by_hand(ours, weights), layer, head)
        for layer in range(3)
        for head, weights in enumerate(run.attention(layer).weights.numpy())
        if (layer, head) != (1, 2)
    )
    found = nearest(run, 1, 2, pieces_of(run, words=words), 5)  # ids stand for no text: each is a word
    assert [(one.layer, one.head) for one in found] == [(layer, head) for _, layer, head in expected[:5]]
    assert [one.distance for one in found] == pytest.approx([far for far, _, _ in expected[:5]])


def test_a_model_of_one_head_has_none_like_it():
    run = toy(n_layers=1, n_heads=1, n_kv_heads=1).run([1, 2, 3])
    assert nearest(run, 0, 0, pieces_of(run, words=False), 5) == ()
