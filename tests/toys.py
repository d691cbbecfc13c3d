"""Toy models for tests: random numbers, and sizes of which no two are equal."""

import torch

from attention.checkpoints.checkpoint import Checkpoint
from attention.model import from_checkpoint

SIZES = dict(n_layers=3, n_heads=6, n_kv_heads=2, d_model=7, d_head=5, d_value=11, n_positions=40, d_vocab=13)


def toy(seed=5, dtype=torch.float64, *, positions=True, unembed=True, **changes):
    """A random toy; 6 query heads share 2 kv heads."""
    sizes = SIZES | changes
    generator = torch.Generator().manual_seed(seed)
    shapes = _shapes(sizes)
    if not positions:
        del shapes["embed.positions"]
    if not unembed:
        del shapes["unembed"]
    tensors = {
        name: 0.3 * torch.randn(shape, generator=generator, dtype=torch.float64)
        for name, shape in shapes.items()
    }
    checkpoint = Checkpoint(
        name="toy",
        revision=f"seed {seed}",
        config={"model_type": "toy", **sizes},
        tensors=tensors,
        tokenizer=None,
    )
    return from_checkpoint(checkpoint, dtype=dtype)


def _shapes(sizes):
    d, head, kv = sizes["d_model"], sizes["n_heads"], sizes["n_kv_heads"]
    d_head, d_value = sizes["d_head"], sizes["d_value"]
    shapes = {
        "embed.tokens": (sizes["d_vocab"], d),
        "embed.positions": (sizes["n_positions"], d),
        "unembed": (d, sizes["d_vocab"]),
    }
    for layer in range(sizes["n_layers"]):
        shapes |= {
            f"layers.{layer}.w_q": (head, d, d_head),
            f"layers.{layer}.w_k": (kv, d, d_head),
            f"layers.{layer}.w_v": (kv, d, d_value),
            f"layers.{layer}.w_o": (head, d_value, d),
            f"layers.{layer}.b_q": (head, d_head),
            f"layers.{layer}.b_k": (kv, d_head),
            f"layers.{layer}.b_v": (kv, d_value),
            f"layers.{layer}.b_o": (d,),
        }
    return shapes
