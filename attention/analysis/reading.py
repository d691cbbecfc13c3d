"""What a measure of heads reads: some rows of one layer's weights, and which of them count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention.analysis.moved import update_shares, value_lengths
from attention.analysis.whole_words import Units, in_strips, mean_queries, sum_keys
from attention.analysis.words import groups
from attention.engine.trace import AttentionTrace
from attention.run import Run

STRIP_CELLS = 2**22
"""Weights of a strip, over all heads: 32 MB in float64."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """What the measures know of a sequence.

    Attributes:
        ids: Each token's row in the vocabulary.
        special: Which tokens the tokenizer added.
        units: The words; each token by itself where pieces are not put together.
        n_real: How many tokens are not padding.
    """

    ids: Sequence[int]
    special: Sequence[bool]
    units: Units
    n_real: int


@dataclass(frozen=True, eq=False)
class PerRow:
    """A measure before its mean is taken.

    Attributes:
        values: Its value for each head and row.
        rows: The rows where it has one; what stands in the others means nothing.
    """

    values: Float[Tensor, "head query"]
    rows: Bool[Tensor, " query"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """Consecutive rows of all heads of one layer, against all keys. What several measures need is kept.

    Attributes:
        weights: Their weights.
        allowed: Who may attend to whom.
        counted: The rows that count: not padding, and with at least one key to see.
        ids: Numbers of which two are equal where two keys are the same token (or the same word).
        special: The keys that the tokenizer added.
        first_row: Position of the first row.
        value_weights: Weight times the length of what it weighs: ‖α f(x)‖. None where values are not known.
        update_shares: Each head's share of what the layer adds at each row. None where that is not known.
    """

    weights: Float[Tensor, "head query key"]
    allowed: Bool[Tensor, "query key"]
    counted: Bool[Tensor, " query"]
    ids: Int[Tensor, " key"]
    special: Bool[Tensor, " key"]
    first_row: int = 0
    value_weights: Float[Tensor, "head query key"] | None = None
    update_shares: Float[Tensor, "head query"] | None = None

    @property
    def positions(self) -> Int[Tensor, " query"]:
        """Where each row stands."""
        return torch.arange(self.first_row, self.first_row + self.weights.shape[1])

    @cached_property
    def ahead(self) -> Int[Tensor, "query key"]:
        """How far each key lies after its query; negative before it."""
        return torch.arange(self.weights.shape[2])[None, :] - self.positions[:, None]

    @cached_property
    def nats(self) -> Float[Tensor, "head query"]:
        """Entropy of each row: −Σ a ln a, with 0 ln 0 = 0."""
        nats: Tensor = torch.special.entr(self.weights).sum(dim=-1)
        return nats

    @cached_property
    def falling(self) -> Float[Tensor, "head query key"]:
        """Each row's weights from the largest down."""
        return self.weights.sort(dim=-1, descending=True).values

    @property
    def open_keys(self) -> Int[Tensor, " query"]:
        """How many keys each row may see."""
        return self.allowed.sum(dim=-1)

    @property
    def is_whole(self) -> bool:
        """Whether every row of the sequence is here."""
        return self.weights.shape[1] == self.weights.shape[2]

    def over_rows(
        self, values: Float[Tensor, "head query"], rows: Bool[Tensor, " query"] | None = None
    ) -> PerRow:
        """Values for the rows that count; where rows are named, for those of them alone."""
        return PerRow(values, self.counted if rows is None else self.counted & rows)

    def on_cells(self, cells: Bool[Tensor, "query key"]) -> PerRow:
        """The weight on some cells, for the rows that may see at least one of them."""
        return self.over_rows((self.weights * cells).sum(dim=-1), (cells & self.allowed).any(dim=-1))


def reading(
    weights: Float[Tensor, "head query key"],
    *,
    allowed: Bool[Tensor, "query key"] | None = None,
    ids: Sequence[int] = (),
    special: Sequence[int] = (),
) -> Reading:
    """A reading of weights alone, with nothing known of values.

    Args:
        weights: All rows of some heads.
        allowed: Who may attend to whom; left out, whoever does in any head.
        ids: The tokens' ids; left out, no token occurs twice.
        special: Positions of special tokens.
    """
    n_keys = weights.shape[2]
    may = (weights > 0).any(dim=0) if allowed is None else allowed
    return Reading(
        weights=weights,
        allowed=may,
        counted=may.any(dim=-1),
        ids=torch.tensor(ids or range(n_keys)),
        special=torch.isin(torch.arange(n_keys), torch.tensor(special, dtype=torch.long)),
    )


def even_weights(allowed: Bool[Tensor, "query key"]) -> Float[Tensor, "query key"]:
    """Weights of a head without preferences: the same for every key that a row may see.

    >>> even_weights(torch.tensor([[True, False], [True, True]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]], dtype=torch.float64)
    """
    return allowed.double() / allowed.sum(dim=-1, keepdim=True).clamp(min=1)


def pieces_of(run: Run, *, words: bool) -> Pieces:
    """What the measures know of a run's tokens.

    Args:
        run: The run.
        words: Whether word pieces are put together.
    """
    tokens = run.tokens
    return Pieces(
        ids=[token.id for token in tokens],
        special=[token.special for token in tokens],
        units=groups(tokens) if words else tuple((at,) for at in range(len(tokens))),
        n_real=run.n_real,
    )


def readings(trace: AttentionTrace, pieces: Pieces) -> Iterator[tuple[Reading, Reading]]:
    """A layer's rows, a strip at a time, so that long texts need no more memory than a strip does.

    Yields:
        The rows as they are, and as they would be if every row gave each key it may see the same weight
        (one head, since all would be alike, except in what they weigh).
    """
    lengths = value_lengths(trace)
    most = max(1, STRIP_CELLS // (trace.config.n_heads * trace.n_keys))
    for units in in_strips(pieces.units, most):
        rows = trace.rows(units[0][0], units[-1][-1] + 1)
        shares = update_shares(rows)
        even = even_weights(rows.mask)[None]
        for_heads = _strip(rows, rows.weights.double(), lengths, pieces)
        for_even = _strip(rows, even, lengths, pieces)
        yield (
            _merged(replace(for_heads, update_shares=shares), units, pieces),
            _merged(for_even, units, pieces),
        )


def _strip(rows: AttentionTrace, weights: Tensor, lengths: Tensor, pieces: Pieces) -> Reading:
    """Some rows, piece by piece."""
    return Reading(
        weights=weights,
        allowed=rows.mask,
        counted=rows.mask.any(dim=-1) & (torch.arange(rows.n_queries) + rows.first_query < pieces.n_real),
        ids=torch.tensor(pieces.ids),
        special=torch.tensor(pieces.special),
        first_row=rows.first_query,
        value_weights=weights * lengths[:, None, :],
    )


def _merged(strip: Reading, rows: Units, pieces: Pieces) -> Reading:
    """The same rows, word by word."""
    if len(pieces.units) == len(pieces.ids):
        return strip
    own = tuple(tuple(at - strip.first_row for at in unit) for unit in rows)

    def merged(weights: Tensor) -> Tensor:
        return mean_queries(sum_keys(weights, pieces.units), strip.counted, own)

    shares, value_weights = strip.update_shares, strip.value_weights
    return Reading(
        weights=merged(strip.weights),
        allowed=merged(strip.allowed.double()) > 0,
        counted=torch.stack([strip.counted[list(unit)].any() for unit in own]),
        ids=torch.tensor(_word_ids(pieces)),
        special=torch.stack([strip.special[unit[0]] for unit in pieces.units]),
        first_row=pieces.units.index(rows[0]),
        value_weights=None if value_weights is None else merged(value_weights),
        update_shares=None if shares is None else mean_queries(shares[..., None], strip.counted, own)[..., 0],
    )


def _word_ids(pieces: Pieces) -> list[int]:
    """A number for each word; two words of the same pieces have the same."""
    numbers: dict[tuple[int, ...], int] = {}
    spelled = (tuple(pieces.ids[at] for at in unit) for unit in pieces.units)
    return [numbers.setdefault(word, len(numbers)) for word in spelled]
