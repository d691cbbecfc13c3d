"""The forward pass never holds anything of size N²: whatever the mask, the bias or the cap."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention import Settings, masks
from tests.families import decoders, encoders, translators

N = 1100


class Largest(TorchDispatchMode):
    """The largest tensor that any operation makes."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        sizes = [leaf.numel() for leaf in tree_leaves(made) if isinstance(leaf, torch.Tensor)]
        self.n = max(self.n, *sizes, 0)
        return made


LONG = dict(max_position_embeddings=N, n_positions=N)
WAYS = {
    "full": (encoders.DISTILBERT, Settings(positions="none")),
    "causal": (decoders.LLAMA, Settings()),
    "window": (decoders.MISTRAL, Settings()),
    "cap": (decoders.GEMMA2, Settings()),
    "bias": (translators.T5, Settings()),
    "cells": (decoders.LLAMA, Settings(mask=masks.Own() & masks.Cells({(5, 3)}))),
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_the_square_of_the_length_is_made(way):
    case, settings = WAYS[way]
    tensors = dict(case.model().state_dict())
    for name, table in tensors.items():
        if "position_embeddings" in name:
            tensors[name] = table.new_zeros(N, table.shape[1])
    model = case.ours(tensors=tensors, **LONG)
    ids = [3 + 7 * i % 26 for i in range(N)]
    # attention across goes a strip at a time too: 2 queries, N keys
    asked = dict(target=[0, 5]) if case.encoder is not None else {}
    with Largest() as largest:
        run = model.run(ids, settings=settings, **asked)
    # a strip of 256 queries for all heads is the most there may be
    assert 0 < largest.n <= run.n_heads * 256 * N < N * N * run.n_heads / 4
