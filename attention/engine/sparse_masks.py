"""Patterns that keep a part of N² cells: what the sparse transformers let their queries see.

Each is one published idea; ``&`` and ``|`` make the whole pattern out of them, as in
``Window(2, 2) | Global({0})``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention.engine.mask_rule import MaskRule, braces, freeze, whole


@dataclass(frozen=True)
class Dilated(MaskRule):
    """A window with gaps: itself and every ``step``-th neighbour, ``reach`` of them on each side.

    The step is counted from the query, not from the start of the text (Beltagy et al. 2020, Longformer).

    >>> from attention.engine.mask_rule import dense
    >>> dense(Dilated(reach=1, step=2), 4).int()
    tensor([[1, 0, 1, 0],
            [0, 1, 0, 1],
            [1, 0, 1, 0],
            [0, 1, 0, 1]], dtype=torch.int32)
    """

    reach: int
    step: int

    def __post_init__(self) -> None:
        freeze(self, "A dilated window", 0, reach=self.reach)
        freeze(self, "A dilated window", 1, step=self.step)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True at whole steps from the query, as far as it reaches."""
        behind = queries[:, None] - keys[None, :]
        return (behind.abs() <= self.reach * self.step) & (behind % self.step == 0)


@dataclass(frozen=True)
class Global(MaskRule):
    """Some tokens see every token and are seen by every token (Beltagy et al. 2020, Longformer).

    The paper gives global tokens projections of their own, which no mask can show.

    >>> from attention.engine.mask_rule import dense
    >>> dense(Global({1}), 3).int()
    tensor([[0, 1, 0],
            [1, 1, 1],
            [0, 1, 0]], dtype=torch.int32)
    """

    tokens: frozenset[int]

    def __init__(self, tokens: Iterable[int]) -> None:
        object.__setattr__(self, "tokens", frozenset(whole("A mask of global tokens", tokens)))

    def __repr__(self) -> str:
        return f"Global({braces(self.tokens)})"

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """The global tokens, on both sides."""
        return self.tokens, self.tokens

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True in the rows and in the columns of the global tokens."""
        tokens = torch.tensor(sorted(self.tokens), dtype=keys.dtype, device=keys.device)
        return torch.isin(queries, tokens)[:, None] | torch.isin(keys, tokens)[None, :]


@dataclass(frozen=True)
class Random(MaskRule):
    """Every query is linked to a few keys drawn by lot, without replacement (Zaheer et al. 2020, BigBird).

    Token by token, as the paper explains it; its programs draw blocks. A query that finds fewer free keys
    than it may draw takes all of them, so one that sees everything already draws none. The same seed draws
    the same links in every layer and head.

    Args:
        links: How many keys a query draws.
        n_keys: Of how many keys: those at positions 0 to n_keys − 1.
        seed: Of the lot.
        beside: Links are drawn outside what this rule allows; None draws anywhere.
    """

    links: int
    n_keys: int
    seed: int = 0
    beside: MaskRule | None = None

    def __post_init__(self) -> None:
        freeze(self, "A mask of random links", 0, links=self.links, n_keys=self.n_keys, seed=self.seed)

    def resolve(self, own: MaskRule) -> MaskRule:
        """The same links, drawn outside the resolved rule."""
        beside = None if self.beside is None else self.beside.resolve(own)
        return Random(self.links, self.n_keys, self.seed, beside)

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """The last key that can be drawn, and what is named by the rule beside."""
        queries, keys = (frozenset[int](), frozenset[int]()) if self.beside is None else self.beside.named()
        return queries, keys | ({self.n_keys - 1} if self.n_keys and self.links else set())

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True at the links."""
        lots = self._lots(queries)
        drawn = lots.topk(min(self.links, self.n_keys), dim=1).indices
        # A query with too few free keys has drawn taken ones too: their lots are below zero.
        linked = torch.zeros_like(lots, dtype=torch.bool).scatter(1, drawn, True) & (lots >= 0)
        beyond = torch.zeros(len(queries), 1, dtype=torch.bool)
        return torch.cat([linked, beyond], dim=1)[:, keys.clamp(max=self.n_keys)]

    def _lots(self, queries: Int[Tensor, " query"]) -> Float[Tensor, "query n_keys"]:
        """A number for each key, the same in whichever strip a query stands; −1 where none is drawn."""
        rows = [self._row(query) for query in queries.tolist()]
        lots = torch.stack(rows) if rows else torch.zeros(0, self.n_keys, dtype=torch.float64)
        if self.beside is None:
            return lots
        return lots.masked_fill(self.beside.allows(queries, torch.arange(self.n_keys)), -1.0)

    def _row(self, query: int) -> Float[Tensor, " n_keys"]:
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + query) % 2**63)
        return torch.rand(self.n_keys, generator=generator, dtype=torch.float64)


@dataclass(frozen=True)
class BlockLocal(MaskRule):
    """The text is cut into blocks, and a query sees its own block (Liu et al. 2018).

    >>> from attention.engine.mask_rule import dense
    >>> dense(BlockLocal(2), 3).int()
    tensor([[1, 1, 0],
            [1, 1, 0],
            [0, 0, 1]], dtype=torch.int32)
    """

    size: int

    def __post_init__(self) -> None:
        freeze(self, "A mask of blocks", 1, size=self.size)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True inside the query's block."""
        return queries[:, None] // self.size == keys[None, :] // self.size


@dataclass(frozen=True)
class Strided(MaskRule):
    """Causal: the last ``stride`` keys with itself, and every ``stride``-th before (Child et al. 2019).

    >>> from attention.engine.mask_rule import dense
    >>> dense(Strided(2), 4).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [0, 1, 1, 1]], dtype=torch.int32)
    """

    stride: int

    def __post_init__(self) -> None:
        freeze(self, "A strided mask", 1, stride=self.stride)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True near the query and at whole strides before it."""
        behind = queries[:, None] - keys[None, :]
        return (behind >= 0) & ((behind < self.stride) | (behind % self.stride == 0))


@dataclass(frozen=True)
class Fixed(MaskRule):
    """Causal: the query's own block, and the last ``summaries`` keys of every block (Child et al. 2019).

    >>> from attention.engine.mask_rule import dense
    >>> dense(Fixed(size=2, summaries=1), 4).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 1, 1, 1]], dtype=torch.int32)
    """

    size: int
    summaries: int

    def __post_init__(self) -> None:
        freeze(self, "A fixed mask", 1, size=self.size, summaries=self.summaries)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True in the block so far, and at the ends of the blocks before."""
        sums_up = (keys % self.size >= self.size - self.summaries)[None, :]
        inside = BlockLocal(self.size).allows(queries, keys)
        return (keys[None, :] <= queries[:, None]) & (inside | sums_up)
