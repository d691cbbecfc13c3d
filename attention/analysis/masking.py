"""What a mask keeps, and what it does to what comes out."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention.analysis.checks import cosine_distances
from attention.run import Run


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


def moved(changed: Run, untouched: Run) -> Float[Tensor, " pos"]:
    """How far a change moved the final vector of each real token: 1 − cos, padding left out."""
    n = min(changed.n_real, untouched.n_real)
    return cosine_distances(changed.final[:n].double(), untouched.final[:n].double())
