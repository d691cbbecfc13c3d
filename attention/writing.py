"""What a decoder writes when it is not told: at each step the likeliest token (greedy decoding)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.settings import Settings
from attention.engine.stack import run_stack
from attention.engine.transformer import Transformer
from attention.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a config says that its model writes.

    Attributes:
        start: The token that stands before the first written one; None where the config names none.
        stops: Tokens that end the text.
        never: Tokens that are not to be written, such as padding.
    """

    start: int | None
    stops: frozenset[int]
    never: frozenset[int]

    def first(self) -> int:
        """The token to begin with.

        Raises:
            InputError: The config names none.
        """
        if self.start is None:
            raise InputError("The config names no decoder_start_token_id: give the target as token ids.")
        return self.start


def rules(config: Mapping[str, Any]) -> Rules:
    """The rules in a config; of ``bad_words_ids`` the single tokens are kept.

    >>> rules({"decoder_start_token_id": 5, "eos_token_id": 0, "bad_words_ids": [[5]]})
    Rules(start=5, stops=frozenset({0}), never=frozenset({5}))
    """
    starts = (config.get(key) for key in ("decoder_start_token_id", "bos_token_id"))
    stops = config.get("eos_token_id")
    barred = config.get("bad_words_ids") or ()
    return Rules(
        start=next((start for start in starts if isinstance(start, int)), None),
        stops=frozenset([stops] if isinstance(stops, int) else stops or ()),
        never=frozenset(words[0] for words in barred if len(words) == 1),
    )


def write(
    transformer: Transformer,
    memory: Float[Tensor, "key d_model"],
    padded_memory: range,
    settings: Settings,
    by: Rules,
    max_target: int,
    before_each: Callable[[], None] = lambda: None,
) -> tuple[int, ...]:
    """The start token and what the decoder writes after it, the stop token included.

    Each token is chosen from a run over all before it; nothing but the ids is kept.

    Args:
        transformer: The decoder.
        memory: What it attends to across.
        padded_memory: Which of it is padding.
        settings: In force while it writes.
        by: Where to begin and to stop.
        max_target: Tokens it writes at most.
        before_each: Called before each token; an exception from it stops the writing.

    Raises:
        InputError: Positions are permuted, which takes a target of known length, or there is no start token.
    """
    if not isinstance(settings.positions, str):
        raise InputError("Positions can be permuted only where the target is given.")
    ids = [by.first()]
    most = min(max_target + 1, transformer.config.n_positions)
    while len(ids) < most and not by.stops.intersection(ids[1:]):
        before_each()
        plans = transformer.plans(settings, padded_memory=padded_memory)
        resid = transformer.embed(ids, [0] * len(ids), settings)
        final = run_stack(transformer.stack, resid, plans, memory=memory).final
        ids.append(_likeliest(transformer.unembed(final[-1:])[0], by.never))
    return tuple(ids)


def _likeliest(logits: Float[Tensor, " d_vocab"], never: frozenset[int]) -> int:
    barred = torch.tensor(sorted(never), dtype=torch.long)
    return int(logits.index_fill(0, barred, -torch.inf).argmax())
