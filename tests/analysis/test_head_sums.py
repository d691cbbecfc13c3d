"""Sums over all rows, a strip at a time, are those of the whole matrix."""

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis import strips
from attention.analysis.across import received_per_query
from attention.analysis.head_sums import head_sums
from attention.analysis.heads import on_first_token, places
from tests.toys import toy

N, N_REAL = 23, 20
SPECIAL = [(0, "[CLS]"), (9, "[SEP]"), (22, "[SEP]")]
SETTINGS = {
    "own": Settings(),
    "causal": Settings(mask=masks.Causal()),
    "blind rows": Settings(mask=masks.Causal() & masks.Keys({0, 1, 2, 3})),
    "nothing": Settings(mask=masks.Keys(set(range(N)))),
}


@pytest.fixture(params=SETTINGS)
def one(request, monkeypatch):
    monkeypatch.setattr(strips, "STRIP_BYTES", 3 * N * 8)  # three rows of one head
    return toy().run([i % 13 for i in range(N)], settings=SETTINGS[request.param]).attention(1).head(4)


@pytest.mark.parametrize("crossing", [False, True])
def test_sums_by_strips_are_those_of_the_whole(one, crossing):
    found = head_sums(one, SPECIAL, N_REAL, crossing=crossing)
    weights = one.weights[0]
    real = weights[:N_REAL]
    whole = places(real, SPECIAL, crossing=crossing) if one.mask.any() else ()
    assert [(share.place, pytest.approx(share.share, abs=1e-12)) for share in whole] == [
        (share.place, share.share) for share in found.places
    ]
    assert found.on_first == pytest.approx(on_first_token(real), abs=1e-12)
    expected = received_per_query(weights, one.mask, torch.arange(N) < N_REAL)
    assert found.received == pytest.approx(expected, abs=1e-12)
    assert found.blind == tuple(np.flatnonzero(~one.mask.numpy().any(axis=1)))


def test_the_shares_of_a_head_make_one(one):
    found = head_sums(one, SPECIAL, N_REAL)
    assert not found.places or sum(share.share for share in found.places) == pytest.approx(1)


def test_hidden_padding_changes_no_number():
    """The text as it is, and padded with the padding hidden from all: the law of the page on masks."""
    ids = [i % 13 for i in range(N_REAL)]
    plain = toy().run(ids, settings=Settings(mask=masks.Full())).attention(1).head(4)
    settings = Settings(mask=masks.Full() & masks.Keys(set(range(N_REAL, N))))
    padded = toy().run([*ids, 5, 6, 7], settings=settings).attention(1).head(4)
    found, expected = (head_sums(one, SPECIAL[:2], N_REAL) for one in (padded, plain))
    assert [(share.place, pytest.approx(share.share, abs=1e-12)) for share in expected.places] == [
        (share.place, share.share) for share in found.places
    ]
    assert found.on_first == pytest.approx(expected.on_first, abs=1e-12)
    assert found.received[:N_REAL] == pytest.approx(expected.received, abs=1e-12)
    assert found.received[N_REAL:] == (None,) * (N - N_REAL)
