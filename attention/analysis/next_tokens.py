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


def likeliest(run: Run, untouched: Run, count: int) -> tuple[Next, ...]:
    """The likeliest tokens after the last one that is not padding, with their probabilities before a change.

    Raises:
        InputError: The model predicts no token.
    """
    now, then = (one.next_token(one.n_real - 1) for one in (run, untouched))
    top = torch.topk(now, min(count, len(now)))
    return tuple(
        Next(id, probability, float(then[id]))
        for id, probability in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    )
