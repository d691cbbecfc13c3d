"""Who may attend to whom.

A rule is a small hashable value, not a matrix: it answers for any block of queries and keys, so a long
sequence is masked strip by strip. True means *may attend*, the opposite of
``torch.nn.MultiheadAttention``'s masks and the same as ``scaled_dot_product_attention``'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention.engine.mask_rule import And, Full, MaskRule, Or, braces, dense, whole
from attention.engine.sparse_masks import BlockLocal, Dilated, Fixed, Global, Random, Strided
from attention.errors import InputError

__all__ = [
    "And",
    "BlockLocal",
    "Causal",
    "Cells",
    "Dilated",
    "Fixed",
    "Full",
    "Global",
    "Keys",
    "MaskRule",
    "Or",
    "Own",
    "Prefix",
    "Random",
    "Strided",
    "Window",
    "dense",
]


@dataclass(frozen=True)
class Own(MaskRule):
    """The mask the model was trained with; it stands for another rule until ``resolve`` names it."""

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """Refused: only a model can say what its own mask is."""
        raise InputError("Own() has no meaning without a model; use resolve() with the model's mask.")

    def resolve(self, own: MaskRule) -> MaskRule:
        """The model's own mask."""
        return own


@dataclass(frozen=True)
class Causal(MaskRule):
    """A query may attend to itself and to what came before.

    >>> dense(Causal(), 3).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True at and before the query."""
        return keys[None, :] <= queries[:, None]


@dataclass(frozen=True)
class Window(MaskRule):
    """A query may attend to itself and to its neighbours.

    A config's ``sliding_window=W`` counts the query itself, so it is ``Window(W - 1, 0)``.

    Args:
        before: How many keys it may see before itself.
        after: How many keys it may see after itself.

    >>> dense(Window(before=1, after=0), 4).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 0, 1, 1]], dtype=torch.int32)
    """

    before: int
    after: int

    def __post_init__(self) -> None:
        before, after = whole("A window", (self.before, self.after))
        object.__setattr__(self, "before", before)
        object.__setattr__(self, "after", after)
        if self.before < 0 or self.after < 0:
            raise InputError(
                f"A window counts neighbours from 0 up; got {self.before} before and {self.after} after."
            )

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True from ``before`` keys before the query to ``after`` keys after it."""
        ahead = keys[None, :] - queries[:, None]
        return (ahead >= -self.before) & (ahead <= self.after)


@dataclass(frozen=True)
class Prefix(MaskRule):
    """The first ``n`` keys are open to every query; the rest is causal (prefix-LM, Raffel et al. 2020).

    >>> dense(Prefix(2), 3).int()
    tensor([[1, 1, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole("A prefix", (self.n,))[0])
        if self.n < 0:
            raise InputError(f"A prefix has 0 tokens or more; got {self.n}.")

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True inside the prefix and at or before the query."""
        return (keys[None, :] < self.n) | Causal().allows(queries, keys)


@dataclass(frozen=True)
class Keys(MaskRule):
    """No query may attend to the hidden keys; their own rows stay.

    >>> dense(Keys({1}), 3).int()
    tensor([[1, 0, 1],
            [1, 0, 1],
            [1, 0, 1]], dtype=torch.int32)
    """

    hidden: frozenset[int]

    def __init__(self, hidden: Iterable[int]) -> None:
        object.__setattr__(self, "hidden", frozenset(whole("A mask of keys", hidden)))

    def __repr__(self) -> str:
        return f"Keys({braces(self.hidden)})"

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """The hidden keys."""
        return frozenset(), self.hidden

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """False in the hidden columns."""
        hidden = torch.tensor(sorted(self.hidden), dtype=keys.dtype, device=keys.device)
        return ~torch.isin(keys, hidden).expand(len(queries), len(keys))


@dataclass(frozen=True)
class Cells(MaskRule):
    """Single (query, key) cells are blocked.

    >>> dense(Cells({(0, 1)}), 2).int()
    tensor([[1, 0],
            [1, 1]], dtype=torch.int32)
    """

    blocked: frozenset[tuple[int, int]]

    def __init__(self, blocked: Iterable[tuple[int, int]]) -> None:
        cells = (whole("A cell", cell, 2) for cell in blocked)
        object.__setattr__(self, "blocked", frozenset((query, key) for query, key in cells))

    def __repr__(self) -> str:
        return f"Cells({braces(self.blocked)})"

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """The queries and keys of the blocked cells."""
        return frozenset(query for query, _ in self.blocked), frozenset(key for _, key in self.blocked)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """False at the blocked cells."""
        allowed = torch.ones(len(queries), len(keys), dtype=torch.bool, device=queries.device)
        rows = {position: row for row, position in enumerate(queries.tolist())}
        columns = {position: column for column, position in enumerate(keys.tolist())}
        for query, key in self.blocked:
            if query in rows and key in columns:
                allowed[rows[query], columns[key]] = False
        return allowed
