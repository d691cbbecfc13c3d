"""What is timed is attention: the same numbers each way, the sizes that are said, and every length told."""

import pytest
import torch

from attention.analysis.cost_timing import D_HEAD, WAYS, WINDOW, attend, lengths, measure
from attention.engine import steps
from attention.engine.masks import dense


@pytest.mark.parametrize("n", [50, 300])
def test_each_way_is_attention(n):
    generator = torch.Generator().manual_seed(1)
    queries, keys, values = torch.randn(3, 1, n, D_HEAD, generator=generator)
    scores = queries[0].double().numpy() @ keys[0].double().numpy().T / 8
    whole = torch.from_numpy(scores)
    banded = whole.masked_fill(~dense(WINDOW, n), float("-inf"))
    for way, masked in {"steps": whole, "fused": whole, "window": banded}.items():
        expected = torch.softmax(masked, dim=-1) @ values[0].double()
        torch.testing.assert_close(
            attend(way, queries, keys, values)[0].double(), expected, atol=2e-6, rtol=0
        )


def test_every_length_is_timed_each_way_and_told():
    told = []
    timings = measure([20, 300], on_length=lambda done, of: told.append((done, of)), rounds=range(1, 2))
    assert told == [(0, 2), (1, 2)]
    assert [(timing.n_tokens, timing.way) for timing in timings] == [
        (n, way) for n in (20, 300) for way in WAYS
    ]
    assert all(timing.seconds > 0 for timing in timings)


def test_what_is_said_to_be_held_is_held(monkeypatch):
    held, real = [], steps.score
    monkeypatch.setattr(steps, "score", lambda q, k: (held.append(real(q, k)), held[-1])[1])
    for timing in measure([300], rounds=range(1, 2)):
        if timing.way == "fused":
            assert (timing.n_scores, timing.largest) == (90_000, 0)
            continue
        held.clear()
        attend(timing.way, *torch.randn(3, 1, 300, D_HEAD))
        assert timing.n_scores == sum(scores.numel() for scores in held)
        assert timing.largest == max(scores.nbytes for scores in held)


def test_a_reader_who_leaves_ends_the_measuring():
    class Gone(Exception):
        pass

    def leave(done, of):
        if done == 1:
            raise Gone

    before = torch.get_num_threads()
    with pytest.raises(Gone):
        measure([10, 20, 10**9], on_length=leave, rounds=range(1, 2))
    assert torch.get_num_threads() == before


def test_it_works_on_one_core():
    threads = []
    measure([10], on_length=lambda *_: threads.append(torch.get_num_threads()), rounds=range(1, 2))
    assert threads == [1]


def test_lengths_double():
    assert lengths(4000) == (250, 500, 1000, 2000, 4000)
