"""Why scores are divided by √d_k: what long dot products do to the softmax, and to its gradient.

Vaswani et al. 2017, section 3.2.1: where the components of q and k are independent with mean 0 and variance
1, q · k has variance d_k. Softmax of scores that far apart gives nearly everything to one key, and then
hardly moves with its scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine import steps
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

DEAD = 1e-3
"""A row whose gradient is smaller than this is called dead: it learns next to nothing from one step."""

_AT_ONCE = 2**21


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How rows of weights are spread over their keys.

    Attributes:
        n_rows: Rows that were measured.
        entropy: Mean entropy of a row in nats.
        largest: Mean of a row's largest weight.
    """

    n_rows: int
    entropy: float
    largest: float


@dataclass(frozen=True, kw_only=True)
class Saturation(Spread):
    """How far the rows of a softmax have come towards one key each, and what is left of their gradient.

    Attributes:
        gradient: Mean size of the gradient, ‖J‖_F. It need not fall with saturation: see ``gradient_sizes``.
        median_gradient: Half the rows have a smaller one.
        dead: Share of rows whose gradient is below ``DEAD``.
    """

    gradient: float
    median_gradient: float
    dead: float


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What was measured on random queries and keys of one size.

    Attributes:
        d_k: Components of a query and of a key.
        variance: Of the raw scores; d_k by theory.
        scaled_variance: Of the scores times 1/√d_k; 1 by theory.
        raw: The softmax of the raw scores.
        scaled: The softmax of the scaled scores.
    """

    d_k: int
    variance: float
    scaled_variance: float
    raw: Saturation
    scaled: Saturation


def drawn_scores(d_k: int, *, n_rows: int, n_keys: int = 16, seed: int = 0) -> Float[Tensor, "row key"]:
    """Dot products of random queries, one a row, with random keys: every component is drawn from N(0, 1).

    The keys of a row share its query, so that rows, and not scores, are independent samples.

    Args:
        d_k: Components of a query and of a key.
        n_rows: How many queries.
        n_keys: Keys of each query; every row has keys of its own.
        seed: The same seed draws the same numbers again.

    Raises:
        InputError: A size below 1.
    """
    for name, size in (("d_k", d_k), ("n_rows", n_rows), ("n_keys", n_keys)):
        if size < 1:
            raise InputError(f"{name} must be 1 or more, not {size}.")
    generator = torch.Generator().manual_seed(seed)
    return torch.cat(list(_drawn(d_k, n_rows, n_keys, generator)))


def _drawn(d_k: int, n_rows: int, n_keys: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Strips of rows: all keys of a long draw at once would take gigabytes."""
    strip = max(1, _AT_ONCE // (n_keys * d_k))
    for start in range(0, n_rows, strip):
        n = min(strip, n_rows - start)
        queries = torch.randn(n, 1, d_k, generator=generator)
        keys = torch.randn(n, n_keys, d_k, generator=generator)
        yield steps.score(queries, keys)[:, 0].double()


def divided(scores: Float[Tensor, "row key"], d_k: int) -> Float[Tensor, "row key"]:
    """Scores times 1/√d_k."""
    return steps.scale(scores[None], d_k**-0.5)[0]


def shares(scores: Float[Tensor, "row key"]) -> Float[Tensor, "row key"]:
    """The softmax of each row."""
    return steps.softmax(scores[None])[0]


def density(scores: Float[Tensor, "row key"], edges: Float[Tensor, " edge"]) -> Float[Tensor, " bin"]:
    """A histogram that can be held against a curve: share of all scores in each bin over the bin's width.

    >>> density(torch.tensor([[0.5, 0.6, 3.0, 9.0]]), torch.tensor([0.0, 1.0, 5.0]))
    tensor([0.5000, 0.0625])
    """
    counts = torch.histogram(scores.flatten(), edges.to(scores.dtype)).hist
    result: Tensor = counts / scores.numel() / edges.diff()
    return result


def gradient_sizes(weights: Float[Tensor, "row key"]) -> Float[Tensor, " row"]:
    """How strongly each row's weights answer to its scores: ‖J‖_F of J = diag(p) − ppᵀ.

    0 where one key has all the weight, √(1/n · (1 − 1/n)) where n keys share it evenly, and largest, ½, where
    two keys have half each: between the even row and the saturated one it first grows.

    >>> gradient_sizes(torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]))
    tensor([0.5000, 0.0000])
    """
    # J's diagonal is p(1 − p), written as p times the others: 1 − p keeps no digits where p is nearly 1.
    diagonal = (weights * _others(weights)).pow(2)
    beside = weights.pow(2) * _others(weights.pow(2))
    return (diagonal + beside).sum(dim=-1).sqrt()


def _others(of: Float[Tensor, "row key"]) -> Float[Tensor, "row key"]:
    """For each entry the sum of its row's other entries."""
    rest = of.sum(dim=-1, keepdim=True) - of
    top = of.argmax(dim=-1, keepdim=True)
    # The largest taken off the sum would leave rounding alone, so its others are added up by themselves.
    return rest.scatter(-1, top, of.scatter(-1, top, 0.0).sum(dim=-1, keepdim=True))


def spread(weights: Float[Tensor, "row key"]) -> Spread:
    """How these rows are spread.

    Raises:
        InputError: There is no row.
    """
    if not len(weights):
        raise InputError("There is no row of weights to measure.")
    return Spread(
        n_rows=len(weights),
        entropy=float(torch.special.entr(weights).sum(dim=-1, dtype=torch.float64).mean()),
        largest=float(weights.amax(dim=-1).double().mean()),
    )


def saturation(weights: Float[Tensor, "row key"]) -> Saturation:
    """How far these rows have come towards one key each.

    Raises:
        InputError: There is no row.
    """
    rows = weights.double()
    found, sizes = spread(rows), gradient_sizes(rows)
    return Saturation(
        n_rows=found.n_rows,
        entropy=found.entropy,
        largest=found.largest,
        gradient=float(sizes.mean()),
        median_gradient=float(sizes.quantile(0.5)),
        dead=float((sizes < DEAD).double().mean()),
    )


def measured(scores: Float[Tensor, "row key"], d_k: int) -> Drawn:
    """Scores of queries and keys of one size, as they come and divided by √d_k.

    Raises:
        InputError: There is no row.
    """
    scaled = divided(scores, d_k)
    return Drawn(
        d_k=d_k,
        variance=float(scores.var()),
        scaled_variance=float(scaled.var()),
        raw=saturation(shares(scores)),
        scaled=saturation(shares(scaled)),
    )


def drawn(d_k: int, *, n_rows: int, n_keys: int = 16, seed: int = 0) -> Drawn:
    """Random queries and keys of one size, measured.

    Raises:
        InputError: A size below 1.
    """
    return measured(drawn_scores(d_k, n_rows=n_rows, n_keys=n_keys, seed=seed), d_k)


def under_scale(trace: AttentionTrace, scale: float) -> AttentionTrace:
    """What if this sublayer multiplied its scores by another number: the same steps, everything else alike.

    Raises:
        InputError: The number is not above 0.
    """
    if not scale > 0:
        raise InputError(f"A scale must be above 0, not {scale}.")
    return replace(trace, config=replace(trace.config, scale=scale))


def head_spread(trace: AttentionTrace, head: int) -> Spread | None:
    """How a head's rows are spread; None where no row has two keys to choose from.

    A row that may see a single key has weight 1 there whatever its score, and one that may see nothing has no
    weights: both say nothing about scores and are left out.

    Raises:
        InputError: There is no such head.
    """
    choosing = trace.mask.sum(dim=1) >= 2
    weights = trace.head(head).weights[0][choosing]
    return spread(weights) if len(weights) else None
