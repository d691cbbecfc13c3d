"""What can be chosen on the page, and how a link writes it."""

from __future__ import annotations

from dataclasses import dataclass

from attention.analysis.word_order import check_order
from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.ui.mask_text import whole
from attention.ui.page_state import PageState, between, one_of
from attention.ui.url import Entry

PARTS = {
    "order": "Word order",
    "sinusoidal": "Sinusoidal",
    "learned": "Learned",
    "rotary": "Rotary",
    "alibi": "ALiBi",
    "relative": "Relative bias",
}
TABLES = {"interleaved": "As in the paper", "halves": "Halves", "spread": "Halves, to 1/10000"}
SIDES = {"both": "Both ways", "causal": "Causal"}
TEXT = "dog chased cat"

MOST_CHARACTERS = 300
MOST_WORDS = 40
MOST_PLACES, MOST_WIDTH = 256, 256
MOST_LEARNED = 128
MOST_HEADS = 32
MOST_SHIFT = 4096
MOST_BIASED = 64


@dataclass(frozen=True, kw_only=True)
class PositionsChoices:
    """The reader's choices. None stands for "whatever fits": the words turned round, the last word.

    Attributes:
        part: What is shown.
        text: The sentence that is read in two orders.
        order: Which of its words stands at each place of the second order.
        table: Which of the sinusoidal tables.
        n: Rows of it.
        d: Columns of it.
        at: The position that the others are compared with.
        first: How many rows of a learned table are compared.
        layer: Whose queries and keys turn.
        head: Likewise.
        query: Position of the query in the sentence.
        key: Position of the key.
        shift: How many places query and key are both moved.
        heads: How many heads ALiBi has.
        slope: The one that is looked at.
        m: Positions under a bias.
        bias_head: The head whose relative bias is looked at.
        side: Whether a bias tells keys after the query apart.
    """

    part: str = "order"
    text: str = TEXT
    order: tuple[int, ...] | None = None
    table: str = "interleaved"
    n: int = 64
    d: int = 64
    at: int = 20
    first: int = 64
    layer: int = 0
    head: int = 0
    query: int | None = None
    key: int | None = None
    shift: int = 100
    heads: int = 8
    slope: int = 0
    m: int = 12
    bias_head: int = 0
    side: str = "both"


def _sentence(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"it has {len(text)} characters, and {MOST_CHARACTERS} are read in two orders")
    return text


def _order(text: str) -> tuple[int, ...]:
    parts = text.split(".")
    if len(parts) > MOST_WORDS:
        raise InputError(f"{len(parts)} words are more than the {MOST_WORDS} that change places here")
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise InputError(f"“{plain_label(text)}” is no order such as 2.1.0")
    order = tuple(whole(part) for part in parts)
    check_order(order, len(order))
    return order


def _written(order: tuple[int, ...] | None) -> str:
    return ".".join(map(str, order or ()))


PAGE = PageState(
    "positions",
    PositionsChoices(),
    {
        "part": Entry("part", one_of(*PARTS)),
        "s": Entry("text", _sentence),
        "order": Entry("order", _order, _written),
        "table": Entry("table", one_of(*TABLES)),
        "n": Entry("n", between(2, MOST_PLACES)),
        "d": Entry("d", between(2, MOST_WIDTH)),
        "at": Entry("at", between(0, MOST_PLACES - 1)),
        "first": Entry("first", between(4, MOST_LEARNED)),
        "layer": Entry("layer", whole),
        "head": Entry("head", whole),
        "query": Entry("query", whole),
        "key": Entry("key", whole),
        "shift": Entry("shift", between(0, MOST_SHIFT)),
        "heads": Entry("heads", between(1, MOST_HEADS)),
        "slope": Entry("slope", between(0, MOST_HEADS - 1)),
        "m": Entry("m", between(2, MOST_BIASED)),
        "bias_head": Entry("bias_head", whole),
        "side": Entry("side", one_of(*SIDES)),
    },
)
