"""The same words in another order: whether a model can tell.

Attention alone compares sets. Without position vectors, turns or biases, and without a mask, other rows in
give the same rows out in that other order (Vaswani et al. 2017, section 3.5, is why there are positions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.checks import cosine_distances
from attention.analysis.words import Piece, groups, is_word
from attention.engine.masks import Full
from attention.engine.precision import widened
from attention.engine.settings import Settings
from attention.errors import InputError
from attention.run import Run

WITH_POSITIONS = Settings()
TAKEN_AWAY = Settings(positions="none")
NOTHING_LEFT = Settings(positions="none", mask=Full())
"""Without positions and without a mask: a causal mask by itself tells a token how many stand before it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoOrders:
    """One text in two orders under the same settings, computed in float64.

    Attributes:
        difference: The largest difference between any entry of a token's final vector in the one order and
            the same entry of the same token's in the other.
        largest: The largest entry there is, to compare that with.
        distances: How far each token's final vector moved, 1 − cos, in the first order.
    """

    difference: float
    largest: float
    distances: Float[Tensor, " pos"]


def two_orders(run: Run, order: Sequence[int], asked: Sequence[Settings]) -> tuple[TwoOrders, ...]:
    """Read a run's tokens in two orders, once under each of some settings.

    Args:
        run: A run of one stack over a text.
        order: Which of its tokens stands at each place of the second order.
        asked: The settings.

    Raises:
        InputError: The order is no permutation of the tokens.
    """
    check_order(order, len(run.tokens))
    orders = (range(len(run.tokens)), order)
    finals = wide_finals(run, [(one, settings) for settings in asked for one in orders])
    pairs = zip(finals[0::2], finals[1::2], strict=True)
    return tuple(_compared(first, second, order) for first, second in pairs)


def wide_finals(
    run: Run, asked: Sequence[tuple[Sequence[int], Settings]]
) -> tuple[Float[Tensor, "pos d_model"], ...]:
    """The final vectors of a run's tokens in float64, in some orders and under some settings.

    One layer at a time is widened, so that a large model does not need twice its memory. The vectors that go
    in are looked up in the model's own precision: each is one token's alone.
    """
    parts, stack = run.model.transformer, run.model.transformer.stack
    plans = [parts.plans(settings) for _, settings in asked]
    streams = [
        run.model.embed([run.tokens[at] for at in order], settings).to(torch.float64)
        for order, settings in asked
    ]
    for index, layer in enumerate(stack.layers):
        wide = widened(layer)
        streams = [wide.forward(resid, plan[index]) for resid, plan in zip(streams, plans, strict=True)]
    norm = widened(stack.final_norm)
    return tuple(norm(resid) for resid in streams)


def check_order(order: Sequence[int], n: int) -> None:
    """Refuse what is no order of n things.

    Raises:
        InputError: A place is missing or named twice, or there are more or fewer than n.
    """
    if sorted(order) != list(range(n)):
        raise InputError(f"an order of {n} names each of 0–{n - 1} once, and this one names {len(order)}")


def order_of_tokens(tokens: Sequence[Piece], order: Sequence[int]) -> tuple[int, ...]:
    """The order of the tokens when whole words change places.

    Args:
        tokens: The text as the model reads it.
        order: Which word, counted without punctuation, stands at each place where a word stood. Special
            tokens and punctuation stay where they are among the words.

    Raises:
        InputError: It is no order of the words.
    """
    every = groups(tokens)
    places = [at for at, group in enumerate(every) if is_word(tokens, group)]
    check_order(order, len(places))
    moved = dict(zip(places, (every[places[word]] for word in order), strict=True))
    return tuple(position for at, group in enumerate(every) for position in moved.get(at, group))


def _compared(
    first: Float[Tensor, "pos d_model"], second: Float[Tensor, "pos d_model"], order: Sequence[int]
) -> TwoOrders:
    back = torch.empty_like(second)
    back[list(order)] = second
    return TwoOrders(
        difference=float((back - first).abs().max()),
        largest=float(first.abs().max()),
        distances=cosine_distances(back, first),
    )
