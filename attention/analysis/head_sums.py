"""What all rows of one head come to, a strip of queries at a time, so that any length will do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.analysis.heads import Share, places
from attention.analysis.whole_words import Units
from attention.analysis.word_rows import Rows, rows_between
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True)
class HeadSums:
    """Sums and means over the rows of one head; padding and rows that may see nothing count in none of them.

    Attributes:
        places: Where the rows put their weight; see `heads.places`. Empty when no row sees anything.
        on_first: What the rows after the first put on the first token; see `heads.on_first_token`.
        received: What each key is given by a query that may see it; see `across.received_per_query`.
        blind: Places of the queries that may see nothing.
    """

    places: tuple[Share, ...]
    on_first: float | None
    received: tuple[float | None, ...]
    blind: tuple[int, ...]


def head_sums(
    one: AttentionTrace,
    special: Sequence[tuple[int, str]],
    n_real: int,
    *,
    crossing: bool = False,
    words: tuple[Units, Units] | None = None,
) -> HeadSums:
    """Go through the rows of a trace of one head.

    Args:
        one: The steps of one head.
        special: Special tokens among the keys, as (position, name); names are merged.
        n_real: Queries that are not padding; hidden from all others, it must change no number here.
        crossing: Whether the keys are another sequence's.
        words: The words that look and those that are looked at, where pieces are put together: then all
            positions, in and out, count words.
    """
    queries, keys = words or (_each(one.n_queries), _each(one.n_keys))
    parts = [_part(rows, special, n_real, crossing) for rows in rows_between(one, queries, keys)]
    n_seeing = sum(part.n_seeing for part in parts)
    n_later, on_first = sum(part.n_later for part in parts), sum(part.on_first for part in parts)
    given, viewers = sum(part.given for part in parts), sum(part.viewers for part in parts)
    pairs = zip(torch.as_tensor(given).tolist(), torch.as_tensor(viewers).tolist(), strict=True)
    return HeadSums(
        places=_mean_places(parts, n_seeing),
        on_first=on_first / n_later if n_later else None,
        received=tuple(total / n if n else None for total, n in pairs),
        blind=tuple(at for part in parts for at in part.blind),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Part:
    """One strip's sums."""

    places: tuple[Share, ...]
    n_seeing: int
    on_first: float
    n_later: int
    given: Tensor
    viewers: Tensor
    blind: tuple[int, ...]


def _each(n: int) -> Units:
    return tuple((at,) for at in range(n))


def _part(rows: Rows, special: Sequence[tuple[int, str]], n_real: int, crossing: bool) -> _Part:
    first, at = rows.first, torch.arange(rows.first, rows.first + len(rows.allowed))
    real, blind = at < n_real, ~rows.allowed.any(dim=1)
    weights, mask = rows.weights[0].double()[real], rows.allowed[real]  # padding stands at the end
    later = weights[(~blind & (at > 0))[real]]
    return _Part(
        places=places(weights, special, crossing=crossing, first_query=first),
        n_seeing=int(mask.any(dim=1).sum()),
        on_first=float(later[:, 0].sum()),
        n_later=len(later),
        given=weights.sum(dim=0),
        viewers=mask.sum(dim=0),
        blind=tuple(at[blind].tolist()),
    )


def _mean_places(parts: Sequence[_Part], n_seeing: int) -> tuple[Share, ...]:
    """The strips' shares, each counted by its rows."""
    if not n_seeing:
        return ()
    names = [share.place for share in parts[0].places]
    totals = [sum(part.places[i].share * part.n_seeing for part in parts) for i in range(len(names))]
    return tuple(Share(name, total / n_seeing) for name, total in zip(names, totals, strict=True))
