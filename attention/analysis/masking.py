"""What a mask keeps, and what it does to what comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.analysis.checks import cosine_distances
from attention.engine.mask_rule import MaskRule
from attention.run import Run
from attention.sites import SiteRun


@dataclass(frozen=True)
class Kept:
    """How much of N × N a mask leaves open.

    Attributes:
        per_query: How many keys each query may attend to.
        n_keys: How many there are.
    """

    per_query: tuple[int, ...]
    n_keys: int

    @property
    def cells(self) -> int:
        """Open cells."""
        return sum(self.per_query)

    @property
    def share(self) -> float:
        """Open cells as a share of all."""
        return self.cells / (len(self.per_query) * self.n_keys)

    @property
    def blind(self) -> tuple[int, ...]:
        """Positions of the queries that may see nothing."""
        return tuple(at for at, n in enumerate(self.per_query) if not n)


def kept(allowed: Bool[Tensor, "query key"]) -> Kept:
    """Count the open cells of a mask, row by row.

    >>> import torch
    >>> kept(torch.tensor([[True, False], [True, True]]))
    Kept(per_query=(1, 2), n_keys=2)
    """
    return Kept(tuple(allowed.sum(dim=1).tolist()), allowed.shape[1])


_ROWS = 512
"""Queries that are asked at a time, so that a long text's mask is never held whole."""


@lru_cache(maxsize=256)
def looks_ahead(rule: MaskRule, n: int) -> bool:
    """Whether a rule lets any of n tokens attend to a later one.

    >>> from attention.engine.masks import Causal, Global
    >>> looks_ahead(Causal(), 4), looks_ahead(Causal() | Global({3}), 4)
    (False, True)
    """
    keys = torch.arange(n)
    strips = ((start, keys[start : start + _ROWS]) for start in range(0, n, _ROWS))
    return any(bool(rule.allows(queries, keys).triu(1 + start).any()) for start, queries in strips)


def may_attend(of: SiteRun, layers: Iterable[int], query: int, key: int) -> bool:
    """Whether a query may attend to a key in any of some layers, padding's mask included."""
    plans = of.stack.stack_run.plans
    rules = [plans[at].cross.mask_rule if of.site == "cross" else plans[at].mask_rule for at in layers]
    cell = torch.tensor([query]), torch.tensor([key])
    return any(bool(rule.allows(*cell)) for rule in rules)


def moved(changed: Run, untouched: Run) -> Float[Tensor, " pos"]:
    """How far a change moved the final vector of each real token: 1 − cos, padding left out."""
    n = min(changed.n_real, untouched.n_real)
    return cosine_distances(changed.final[:n].double(), untouched.final[:n].double())
