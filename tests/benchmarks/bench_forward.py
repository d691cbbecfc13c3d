"""How long a forward pass takes, ours against transformers, on MiniLM's real weights."""

from statistics import median
from time import perf_counter

import pytest
import torch
from transformers import AutoModel

from attention.checkpoints.fetch import fetch

REPEATS = 9


def milliseconds(action):
    """The median of a few runs, after one that warms up."""
    times = []
    for _ in range(REPEATS + 1):
        start = perf_counter()
        action()
        times.append(1000 * (perf_counter() - start))
    return median(times[1:])


@pytest.fixture(scope="module")
def reference():
    return AutoModel.from_pretrained(fetch("minilm"), attn_implementation="sdpa").eval()


@pytest.mark.parametrize("n_tokens", [12, 128, 512])
def bench_forward(minilm, reference, n_tokens):
    ids = [101, *range(2000, 1998 + n_tokens), 102]
    with torch.no_grad():
        ours = milliseconds(lambda: minilm.run(ids))
        theirs = milliseconds(lambda: reference(torch.tensor([ids])))
    print(f"\n{n_tokens:>4} tokens: ours {ours:6.1f} ms, transformers {theirs:6.1f} ms")
