"""The masks of the gallery: what each is called, which numbers it has, and the rule it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.engine.masks import (
    BlockLocal,
    Causal,
    Dilated,
    Fixed,
    Full,
    Global,
    MaskRule,
    Prefix,
    Random,
    Strided,
    Window,
)

if TYPE_CHECKING:
    from attention.ui.masks.choices import MaskChoices

Make = Callable[["MaskChoices", int], MaskRule]
"""From the reader's numbers and the number of tokens to the rule."""


@dataclass(frozen=True)
class Pattern:
    """One mask of the gallery.

    Attributes:
        title: What it is called.
        note: What it does, in a sentence.
        make: The rule.
        numbers: Fields of the choices that it uses, in the order they are asked for.
        padded: Whether padding tokens are added, and hidden.
        causal: Whether it never sees ahead, so that "causal too" would change nothing.
    """

    title: str
    note: str
    make: Make
    numbers: tuple[str, ...] = ()
    padded: bool = False
    causal: bool = False


def _window(choices: MaskChoices) -> MaskRule:
    return Window(choices.reach, choices.reach)


def _longformer(choices: MaskChoices) -> MaskRule:
    return _window(choices) | Global(choices.tokens)


def _bigbird(choices: MaskChoices, n: int) -> MaskRule:
    base = _longformer(choices)
    return base | Random(choices.links, n, choices.seed, base)


PATTERNS: Mapping[str, Pattern] = {
    "full": Pattern("Full", "Every token may attend to every token, as in BERT.", lambda c, n: Full()),
    "causal": Pattern(
        "Causal", "A token may attend to itself and to what came before, as in GPT.", lambda c, n: Causal(),
        causal=True,
    ),
    "padding": Pattern(
        "Padding", "Places that only fill the batch are hidden as keys; their own rows stay.",
        lambda c, n: Full(), ("pad",), padded=True,
    ),
    "causal-padding": Pattern(
        "Causal and padding", "Neither what comes later nor what only fills the batch.",
        lambda c, n: Causal(), ("pad",), padded=True, causal=True,
    ),
    "sliding-causal": Pattern(
        "Sliding, causal", "Itself and the last few tokens, as in Mistral.",
        lambda c, n: Window(c.reach, 0), ("reach",), causal=True,
    ),
    "sliding": Pattern(
        "Sliding, two-sided", "Itself and the neighbours on both sides.", lambda c, n: _window(c), ("reach",)
    ),
    "dilated": Pattern(
        "Dilated", "A window with gaps: it reaches farther for the same number of cells.",
        lambda c, n: Dilated(c.reach, c.step), ("reach", "step"),
    ),
    "longformer": Pattern(
        "Longformer", "A window, and global tokens that see all and are seen by all (without the paper’s "
        "separate projections for them, which are no mask).",
        lambda c, n: _longformer(c), ("reach", "tokens"),
    ),
    "bigbird": Pattern(
        "BigBird", "Window, global tokens, and for each other row links drawn by lot, alike in all heads.",
        _bigbird, ("reach", "tokens", "links", "seed"),
    ),
    "blocks": Pattern(
        "Block-local", "The text is cut into blocks; nobody looks across.",
        lambda c, n: BlockLocal(c.size), ("size",),
    ),
    "prefix": Pattern(
        "Prefix-LM", "The prefix is open to all; the rest is causal.", lambda c, n: Prefix(c.prefix),
        ("prefix",),
    ),
    "sink": Pattern(
        "Sink + window", "The first token and the last few, as in StreamingLLM.",
        lambda c, n: Causal() & (Window(c.reach, 0) | Global({0})), ("reach",), causal=True,
    ),
    "strided": Pattern(
        "Strided", "The last few tokens and every so many before (Sparse Transformer).",
        lambda c, n: Strided(c.size), ("size",), causal=True,
    ),
    "fixed": Pattern(
        "Fixed", "Its own block so far and the last token of every block (Sparse Transformer).",
        lambda c, n: Fixed(c.size, 1), ("size",), causal=True,
    ),
    "free": Pattern("Free", "All open to begin with: click cells to block them.", lambda c, n: Full()),
}  # fmt: skip
