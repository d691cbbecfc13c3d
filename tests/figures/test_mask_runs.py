import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention.figures.mask_runs import blind_rows, mask_runs, outlines

MASKS = arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.booleans())


@given(MASKS)
def test_runs_cover_the_masked_cells_and_no_others(allowed):
    covered = np.zeros(allowed.shape, int)
    for row, start, stop in mask_runs(allowed):
        assert start < stop
        covered[row, start:stop] += 1
    np.testing.assert_array_equal(covered, (~allowed).astype(int))


@given(MASKS)
def test_runs_are_as_long_as_they_can_be(allowed):
    for row, start, stop in mask_runs(allowed):
        assert start == 0 or allowed[row, start - 1]
        assert stop == allowed.shape[1] or allowed[row, stop]


@given(MASKS)
def test_outlines_enclose_the_masked_area(allowed):
    x, y = outlines(allowed)
    assert x.dtype == y.dtype == np.float32
    corners = np.stack([x, y], -1).reshape(-1, 6, 2)
    assert np.isnan(corners[:, 5]).all(), "the pen is lifted after each run"
    assert (corners[:, 0] == corners[:, 4]).all(), "each run is closed"
    size = corners[:, 2] - corners[:, 0]
    assert (size[:, 1] == 1).all()
    assert size.prod(axis=1).sum() == (~allowed).sum()


def test_an_outline_lies_on_its_cells():
    x, y = outlines(np.array([[True, True, True], [True, False, False]]))
    np.testing.assert_array_equal(x[:5], [0.5, 2.5, 2.5, 0.5, 0.5])
    np.testing.assert_array_equal(y[:5], [0.5, 0.5, 1.5, 1.5, 0.5])


def test_nothing_masked_gives_nothing():
    x, y = outlines(np.ones((3, 5), bool))
    assert x.size == y.size == 0


@given(MASKS)
def test_blind_rows_see_nothing(allowed):
    assert set(blind_rows(allowed)) == {row for row in range(len(allowed)) if not allowed[row].any()}
