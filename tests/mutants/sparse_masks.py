"""Mistakes in the sparse patterns: off by one, counted from the wrong end, drawn where they must not be."""

import torch

from attention.engine import masks
from tests.mutants.shared import allows


def _behind(queries, keys):
    return queries[:, None] - keys[None, :]


def _dilated(within):
    return allows(masks.Dilated, lambda self, queries, keys: within(self, _behind(queries, keys), keys))


def _one_side(which):
    def seen(self, queries, keys):
        tokens = torch.tensor(sorted(self.tokens))
        rows, columns = torch.isin(queries, tokens)[:, None], torch.isin(keys, tokens)[None, :]
        return which(rows, columns) & torch.ones(len(queries), len(keys), dtype=torch.bool)

    return allows(masks.Global, seen)


def _random(**fields):
    """The links of another rule."""
    real = masks.Random.allows

    def drawn(self, queries, keys):
        given = {"links": self.links, "n_keys": self.n_keys, "seed": self.seed, "beside": self.beside}
        changed = {name: change(given[name]) for name, change in fields.items()}
        return real(masks.Random(**given | changed), queries, keys)

    return allows(masks.Random, drawn)


def _strided(within):
    return allows(masks.Strided, lambda self, queries, keys: within(self.stride, _behind(queries, keys)))


def _fixed(sums_up, causal=True):
    def seen(self, queries, keys):
        inside = masks.BlockLocal(self.size).allows(queries, keys) | sums_up(self, keys)[None, :]
        return inside & (_behind(queries, keys) >= 0) if causal else inside

    return allows(masks.Fixed, seen)


SPARSE = {
    "dilated: reach counted in keys": _dilated(
        lambda self, behind, keys: (behind.abs() <= self.reach) & (behind % self.step == 0)
    ),
    "dilated: one step short": _dilated(
        lambda self, behind, keys: (behind.abs() < self.reach * self.step) & (behind % self.step == 0)
    ),
    "dilated: one step too far": _dilated(
        lambda self, behind, keys: (behind.abs() <= (self.reach + 1) * self.step) & (behind % self.step == 0)
    ),
    "dilated: steps counted from the start": _dilated(
        lambda self, behind, keys: (behind.abs() <= self.reach * self.step) & (keys[None, :] % self.step == 0)
    ),
    "global: rows alone": _one_side(lambda rows, columns: rows),
    "global: columns alone": _one_side(lambda rows, columns: columns),
    "global: only among themselves": _one_side(lambda rows, columns: rows & columns),
    "random: one link too many": _random(links=lambda links: links + 1),
    "random: one link short": _random(links=lambda links: links - 1),
    "random: drawn inside the window": _random(beside=lambda beside: None),
    "random: the last key never drawn": _random(n_keys=lambda n: n - 1),
    "random: the seed forgotten": _random(seed=lambda seed: 0),
    "blocks one wider": allows(
        masks.BlockLocal,
        lambda self, queries, keys: queries[:, None] // (self.size + 1) == keys[None, :] // (self.size + 1),
    ),
    "blocks begin at one": allows(
        masks.BlockLocal,
        lambda self, queries, keys: (queries[:, None] + 1) // self.size == (keys[None, :] + 1) // self.size,
    ),
    "strided: one near key too many": _strided(
        lambda s, behind: (behind >= 0) & ((behind <= s + 1) | (behind % s == 0))
    ),
    "strided: one near key short": _strided(
        lambda s, behind: (behind >= 0) & ((behind < s - 1) | (behind % s == 0))
    ),
    "strided: sees ahead": _strided(lambda s, behind: (behind.abs() < s) | (behind % s == 0)),
    "strided: strides one longer": _strided(
        lambda s, behind: (behind >= 0) & ((behind < s) | (behind % (s + 1) == 0))
    ),
    "fixed: one summary too many": _fixed(
        lambda self, keys: keys % self.size >= self.size - self.summaries - 1
    ),
    "fixed: one summary short": _fixed(lambda self, keys: keys % self.size > self.size - self.summaries),
    "fixed: blocks summed up by their beginning": _fixed(
        lambda self, keys: keys % self.size < self.summaries
    ),
    "fixed: sees ahead": _fixed(
        lambda self, keys: keys % self.size >= self.size - self.summaries, causal=False
    ),
}
