"""A band of scores gives what the whole masked matrix gives, and is all that is computed."""

import pytest
import torch

from attention.engine import steps, windowed
from attention.engine.masks import Window, dense


@pytest.mark.parametrize(
    "window", [Window(0, 0), Window(3, 0), Window(0, 2), Window(5, 5), Window(400, 400)], ids=repr
)
@pytest.mark.parametrize(("n", "strip"), [(1, 4), (11, 4), (12, 4), (37, 5), (300, 128)])
def test_a_band_gives_what_the_masked_matrix_gives(window, n, strip, monkeypatch):
    monkeypatch.setattr(windowed, "STRIP", strip)
    queries, keys, values = drawn(n)
    masked = steps.mask(steps.scale(steps.score(queries, keys), 0.4), dense(window, n))
    expected = steps.mix(steps.softmax(masked), values)
    found = windowed.windowed(queries, keys, values, window, 0.4)
    torch.testing.assert_close(found, expected, atol=1e-13, rtol=0)


def test_only_the_band_is_computed(monkeypatch):
    held, real = [], steps.score
    monkeypatch.setattr(steps, "score", lambda q, k: (held.append((q.shape[1], k.shape[1])), real(q, k))[1])
    windowed.windowed(*drawn(300), Window(10, 3), 0.4)
    assert held == [(128, 131), (128, 141), (44, 54)]
    assert [(len(rows), len(columns)) for rows, columns in windowed.band(300, Window(10, 3))] == held


def drawn(n):
    generator = torch.Generator().manual_seed(n)
    shapes = ((3, n, 7), (3, n, 7), (3, n, 5))
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
