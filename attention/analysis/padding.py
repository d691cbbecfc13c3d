"""Sentences of unequal length in one batch: what padding changes, with its mask and without it.

A batch is a rectangle of ids, so short sentences are filled up. Hidden from every query, the filling changes
nothing of what the real tokens become; that is a law, and is held in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from attention.engine.layer import LayerPlan
from attention.engine.precision import widened
from attention.engine.settings import Settings
from attention.engine.transformer import Transformer
from attention.errors import InputError
from attention.model import Model
from attention.run import Run

MOST_SENTENCES = 8


@dataclass(frozen=True, kw_only=True)
class Padded:
    """One sentence of a batch, read three times in float64: alone, padded, and padded without a mask.

    Attributes:
        ids: Its row of the batch, padding included.
        n_real: How many of them are its own.
        difference: The largest difference between any entry of a real token's final vector alone and in the
            batch with the padding hidden.
        unmasked: The same with the padding open to all.
        largest: The largest entry of its final vectors: what those differences are held against.
    """

    ids: tuple[int, ...]
    n_real: int
    difference: float
    unmasked: float
    largest: float


def padded_batch(model: Model, sentences: Sequence[str]) -> tuple[Padded, ...]:
    """Read sentences in one batch, filled up to the longest.

    Args:
        model: Who reads; of an encoder–decoder, its encoder.
        sentences: One to ``MOST_SENTENCES`` of them.

    Raises:
        InputError: None, or too many, or one that the model cannot take, or nothing to pad with.
    """
    _check_number(len(sentences))
    reader = model.encoder or model
    alone = [_read(reader, sentence, number) for number, sentence in enumerate(sentences, 1)]
    longest = max(run.n_real for run in alone)
    rows = [
        run if run.n_real == longest else reader.run(sentence, pad_to=longest)
        for run, sentence in zip(alone, sentences, strict=True)
    ]
    return tuple(
        _compared(row, *finals) for row, finals in zip(rows, _finals(reader, alone, rows), strict=True)
    )


def _check_number(n: int) -> None:
    if not n:
        raise InputError("The batch is empty: write at least one sentence, one a line.")
    if n > MOST_SENTENCES:
        raise InputError(f"The batch has {n} sentences; at most {MOST_SENTENCES} fit here.")


def _read(reader: Model, sentence: str, number: int) -> Run:
    try:
        return reader.run(sentence)
    except InputError as error:
        raise InputError(f"Sentence {number} of the batch: {error}") from None


def _finals(reader: Model, alone: Sequence[Run], rows: Sequence[Run]) -> list[tuple[Tensor, Tensor, Tensor]]:
    """The final vectors of each sentence: alone, padded and hidden, padded and open.

    One layer at a time is widened, so that a large model does not need twice its memory. The vectors that go
    in are looked up in the model's own precision: each is one token's alone.
    """
    asked = [
        (run, settings)
        for one, row in zip(alone, rows, strict=True)
        for run, settings in ((one, Settings()), (row, Settings()), (row, Settings(padding=False)))
    ]
    streams = [reader.embed(run.tokens, settings).double() for run, settings in asked]
    plans = [reader.transformer.plans(settings, run.padded) for run, settings in asked]
    finals = iter(_through(reader.transformer, streams, plans))
    return list(zip(finals, finals, finals, strict=True))


def _through(
    parts: Transformer, streams: list[Tensor], plans: Sequence[tuple[LayerPlan, ...]]
) -> list[Tensor]:
    for index, layer in enumerate(parts.stack.layers):
        wide = widened(layer)
        streams = [wide.forward(resid, plan[index]) for resid, plan in zip(streams, plans, strict=True)]
    norm = widened(parts.stack.final_norm)
    return [norm(resid) for resid in streams]


def _compared(
    row: Run,
    alone: Float[Tensor, "real d_model"],
    hidden: Float[Tensor, "pos d_model"],
    seen: Float[Tensor, "pos d_model"],
) -> Padded:
    n_real = row.n_real
    return Padded(
        ids=tuple(token.id for token in row.tokens),
        n_real=n_real,
        difference=_largest(hidden[:n_real] - alone),
        unmasked=_largest(seen[:n_real] - alone),
        largest=_largest(alone),
    )


def _largest(entries: Tensor) -> float:
    return float(entries.abs().max())
