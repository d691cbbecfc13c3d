"""Sparse patterns: which cells are saved, and what a head had put there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool
from torch import Tensor

from attention.engine.masks import MaskRule
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class Kept:
    """What a pattern leaves of one head. Shares are of what the head does by its own mask.

    Attributes:
        allowed: The cells that are left.
        n_cells: How many these are.
        cells: Their share of the cells of the head's own mask: the arithmetic that is left.
        weight: Mean over the rows of the weight that stood in these cells. Rows of padding are not counted,
            here and below.
        least: The same of the row that loses most.
        chance: The weight these cells would hold if every row were shared out evenly; what there is to beat.
        moved: How far the head's output moves once the rest is masked and the rows are shared out anew:
            ‖new − old‖ / ‖old‖, over all positions. None where the old one is zero.
    """

    allowed: Bool[Tensor, "query key"]
    n_cells: int
    cells: float
    weight: float
    least: float
    chance: float
    moved: float | None


def kept(one: AttentionTrace, pattern: MaskRule, n_real: int) -> Kept | None:
    """What a pattern, laid over the head's own mask, leaves of it; None where no row sees anything.

    Rows that may see nothing by their own mask have no weight to lose and are not counted.

    Args:
        one: A trace of one head.
        pattern: Which cells to keep.
        n_real: Queries that are not padding.
    """
    sparse = replace(one, mask_rule=one.mask_rule & pattern)
    own, allowed = one.mask, sparse.mask
    sees = own.any(dim=-1) & (torch.arange(one.n_queries) < n_real)
    if not sees.any():
        return None
    rows = one.weights[0].where(allowed, 0.0).sum(dim=-1)[sees]
    even = allowed.sum(dim=-1)[sees] / own.sum(dim=-1)[sees]
    before, after = (trace.head_outputs[:, :n_real] for trace in (one, sparse))
    size = before.norm()
    return Kept(
        allowed=allowed,
        n_cells=int(allowed.sum()),
        cells=float(allowed.sum() / own.sum()),
        weight=float(rows.mean()),
        least=float(rows.min()),
        chance=float(even.mean()),
        moved=float((after - before).norm() / size) if size > 0 else None,
    )
