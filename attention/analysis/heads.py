"""What a head does with one text, as single numbers.

Rows that may see nothing are skipped in every mean. One sentence is one sample: none of these numbers
names what a head is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True)
class Share:
    """Where part of a head's weight goes.

    Attributes:
        place: The place, in words.
        share: Mean weight of a row there; the shares of one head sum to 1.
    """

    place: str
    share: float


def entropy(weights: Float[Tensor, "head query key"]) -> Float[Tensor, " head"]:
    """Mean entropy of a head's rows in nats: −Σ a ln a, from 0 (one key) to ln n (all n keys alike).

    Rows that may see nothing are not counted; where no row sees anything there is no mean (NaN).

    >>> entropy(torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]))
    tensor([0.3466])
    """
    rows = torch.special.entr(weights).sum(dim=-1)
    sees = weights.sum(dim=-1) > 0
    total: Tensor = (rows * sees).sum(dim=-1)
    return total / sees.sum(dim=-1)


def on_first_token(weights: Float[Tensor, "query key"]) -> float | None:
    """Mean weight that the rows after the first put on the first token; None where there is none.

    Row 0 of a causal head is left out: it has nothing else to see. Rows that may see nothing are too.

    >>> on_first_token(torch.tensor([[1.0, 0.0], [0.75, 0.25]]))
    0.75
    """
    later = weights[1:][weights[1:].sum(dim=-1) > 0]
    return float(later[:, 0].mean()) if len(later) else None


def places(
    weights: Float[Tensor, "query key"],
    special: Sequence[tuple[int, str]],
    *,
    crossing: bool = False,
    first_query: int = 0,
) -> tuple[Share, ...]:
    """Where the rows of one head put their weight; each cell counts once, a token's own under "itself" alone.

    Args:
        weights: One head's weights.
        special: Special tokens among the keys, as (position, name); names are merged.
        crossing: Whether the keys are another sequence's: then no key is a query's own or its neighbour.
        first_query: Place of the first query, when these are some rows of more.

    >>> [(part.place, round(part.share, 2)) for part in places(torch.tensor([[0.2, 0.8], [0.6, 0.4]]), [])]
    [('itself', 0.3), ('one before', 0.3), ('one after', 0.4), ('elsewhere', 0.0)]
    """
    counted = weights[weights.sum(dim=-1) > 0]
    rows = torch.nonzero(weights.sum(dim=-1) > 0).flatten() + first_query
    ahead = torch.arange(weights.shape[1])[None, :] - rows[:, None]
    free = torch.ones_like(counted, dtype=torch.bool)
    own = torch.zeros_like(free) if crossing else ahead == 0
    shares = []
    for name, cells in (*_special_cells(special, own), *([] if crossing else _near_cells(ahead))):
        taken = cells & free
        free &= ~cells
        shares.append(Share(name, _mean(counted, taken)))
    return (*shares, Share("elsewhere", _mean(counted, free)))


def _special_cells(special: Sequence[tuple[int, str]], own: Tensor) -> list[tuple[str, Bool[Tensor, ...]]]:
    columns = torch.arange(own.shape[1])
    cells = []
    for name in dict.fromkeys(name for _, name in special):
        positions = torch.tensor([position for position, other in special if other == name])
        cells.append((name, torch.isin(columns, positions) & ~own))
    return cells


def _near_cells(ahead: Tensor) -> list[tuple[str, Bool[Tensor, ...]]]:
    return [("itself", ahead == 0), ("one before", ahead == -1), ("one after", ahead == 1)]


def _mean(counted: Tensor, cells: Tensor) -> float:
    return float(counted[cells].sum() / len(counted)) if len(counted) else 0.0
