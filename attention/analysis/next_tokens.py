"""What a model would write next."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from attention.run import Run


@dataclass(frozen=True)
class Next:
    """One token that may come next.

    Attributes:
        id: Its row in the vocabulary.
        probability: How likely it is after the text.
        before: How likely it was in the untouched run.
    """

    id: int
    probability: float
    before: float


def likeliest(run: Run, untouched: Run, count: int, position: int | None = None) -> tuple[Next, ...]:
    """The likeliest tokens after one of the text's, with their probabilities before a change.

    Args:
        run: The run.
        untouched: The same text under the model's own attention.
        count: How many.
        position: After which token; None is the last that is not padding.

    Raises:
        InputError: The model predicts no token, or has no such position.
    """
    now = run.next_token(_last(run) if position is None else position)
    if untouched is run:  # to unembed costs as much as some layers
        then = now
    else:
        then = untouched.next_token(_last(untouched) if position is None else position)
    top = torch.topk(now, min(count, len(now)))
    return tuple(
        Next(id, probability, float(then[id]))
        for id, probability in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    )


def _last(run: Run) -> int:
    return run.n_real - 1
