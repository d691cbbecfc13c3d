"""What the reader chose on the page about masks, in the session and in the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention.analysis.padding import MOST_SENTENCES
from attention.engine.masks import Causal, MaskRule
from attention.errors import InputError
from attention.ui.mask_text import (
    MOST_NUMBER,
    format_indices,
    format_pairs,
    parse_indices,
    parse_pairs,
    whole,
)
from attention.ui.masks.patterns import PATTERNS, Pattern
from attention.ui.page_state import PageState, between
from attention.ui.url import Entry, one_of

MOST = 512
"""Largest number of neighbours, links, tokens of a block: as many as MiniLM has positions."""

MOST_PADDING = 32
MOST_BY_HAND = 64
"""Tokens up to which a cell is large enough to be clicked."""

SENTENCES = ("The bank approved the loan.", "We sat beside the river bank.", "Dogs bark.")


@dataclass(frozen=True, kw_only=True)
class MaskChoices:
    """The reader's choices.

    Attributes:
        pattern: Name of the mask in the gallery.
        causal: Whether what comes later is blocked as well.
        reach: Neighbours on a side.
        step: From one of them to the next.
        tokens: Global tokens.
        links: Keys that are drawn for a query.
        seed: Of the lot.
        size: Tokens of a block; a stride.
        prefix: Tokens of the prefix.
        pad: Padding tokens that are added.
        flipped: Cells changed by hand: open where the mask blocks, blocked where it is open.
        query: Position of the row in focus.
        word: Position of the word that is hidden or replaced; None is the second, which says more as a rule.
        batch: The sentences of the batch.
    """

    pattern: str = "sliding"
    causal: bool = False
    reach: int = 2
    step: int = 2
    tokens: frozenset[int] = frozenset({0})
    links: int = 2
    seed: int = 0
    size: int = 4
    prefix: int = 4
    pad: int = 3
    flipped: frozenset[tuple[int, int]] = frozenset()
    query: int | None = None
    word: int | None = None
    batch: tuple[str, ...] = SENTENCES

    @property
    def chosen(self) -> Pattern:
        """The mask of the gallery."""
        return PATTERNS[self.pattern]

    def rule(self, n: int) -> MaskRule:
        """The rule over n tokens, before padding and before what was changed by hand."""
        rule = self.chosen.make(self, n)
        return Causal() & rule if self.causal and not self.chosen.causal else rule


def lines(text: str) -> tuple[str, ...]:
    """The sentences of a text, one a line; blank lines are none."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _batch(text: str) -> tuple[str, ...]:
    sentences = lines(text)
    if len(sentences) > MOST_SENTENCES:
        raise InputError(f"it has {len(sentences)} sentences; at most {MOST_SENTENCES} are read")
    return sentences


def _write_batch(sentences: tuple[str, ...]) -> str:
    """An empty batch is an empty line: a key without a value would not come back."""
    return "\n".join(sentences) or "\n"


def _tokens(text: str) -> frozenset[int]:
    return frozenset() if text == "none" else parse_indices(text)


def _write_tokens(tokens: frozenset[int]) -> str:
    return format_indices(tokens) or "none"


def _flag(text: str) -> bool:
    return one_of("0", "1")(text) == "1"


PAGE = PageState(
    "masks",
    MaskChoices(),
    {
        "pattern": Entry("pattern", one_of(*PATTERNS)),
        "causal": Entry("causal", _flag, lambda on: str(int(on))),
        "reach": Entry("reach", between(0, MOST)),
        "step": Entry("step", between(1, MOST)),
        "global": Entry("tokens", _tokens, _write_tokens),
        "links": Entry("links", between(0, MOST)),
        "seed": Entry("seed", between(0, MOST_NUMBER)),
        "size": Entry("size", between(1, MOST)),
        "prefix": Entry("prefix", between(0, MOST)),
        "pad": Entry("pad", between(1, MOST_PADDING)),
        "flip": Entry("flipped", parse_pairs, format_pairs),
        "query": Entry("query", whole),
        "word": Entry("word", whole),
        "batch": Entry("batch", _batch, _write_batch),
    },
)


def fit(choices: MaskChoices, n: int, n_real: int) -> tuple[MaskChoices, tuple[str, ...]]:
    """The choices without what the sentence does not have, and what that was.

    Args:
        choices: As they were asked for.
        n: Tokens, padding included.
        n_real: Tokens of the sentence.
    """
    told: list[str] = []
    flipped = choices.flipped if n <= MOST_BY_HAND else frozenset()
    if choices.flipped and not flipped:
        told.append(by_hand_limit(n))
    inside = frozenset(cell for cell in flipped if max(cell) < n)
    told += _lost("cell", [f"{query} → {key}" for query, key in sorted(flipped - inside)], n)
    tokens = frozenset(token for token in choices.tokens if token < n_real)
    told += _lost("global token", [str(token) for token in sorted(choices.tokens - tokens)], n_real)
    query = None if choices.query is None or choices.query >= n else choices.query
    word = None if choices.word is None or choices.word >= n_real else choices.word
    told += _lost("word", [str(choices.word)] if word != choices.word else [], n_real)
    told += _lost("row", [str(choices.query)] if query != choices.query else [], n)
    return replace(choices, flipped=inside, tokens=tokens, query=query, word=word), tuple(told)


def by_hand_limit(n: int) -> str:
    """Why no cell of a long text can be changed by hand."""
    return f"Cells are changed by hand in up to {MOST_BY_HAND} tokens; this has {n}."


def _lost(what: str, names: Sequence[str], n: int) -> list[str]:
    if not names:
        return []
    others = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return [f"There is no {what} {', '.join(names[:4])}{others}: the sentence has {n} tokens (0–{n - 1})."]
