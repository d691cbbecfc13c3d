"""One head's weights, or those of a few heads, as lines from each query to the keys it looks at.

What a line looks like is decided here, in pixels of the page: `attention/ui/components/lines.js` draws it on
the page and `attention/export/lines_drawing.py` in a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from attention.errors import InputError

Side = Literal["query", "key"]
Block = Literal["all", "aa", "ab", "ba", "bb"]

MOST_HEADS = 8
MOST_LINES = 24_000
"""Lines that go to the page, where a token's own are shown on hover; of more, the heaviest."""

MOST_OTHERS = 1_200
"""Lines drawn at once beside those of the locked token; more would cover each other."""

BLOCKS: Mapping[Block, str] = {"all": "all", "aa": "A → A", "ab": "A → B", "ba": "B → A", "bb": "B → B"}
"""Which sentence looks at which, for a pair."""

THIN, THICK = 0.6, 5.5
FAINT = 0.07
OWN = (0.35, 0.65)
FREE = (0.2, 0.8)
TOP, BOTTOM = 28.0, 6.0
WIDTH = 560.0
_APART = 3.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Strand:
    """The lines of one head.

    Attributes:
        name: The head's, such as "H4".
        weights: As they are to be read.
        drawn: Which of them have a line.
    """

    name: str
    weights: Float[np.ndarray, "query key"]
    drawn: Bool[np.ndarray, "query key"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Lines:
    """Everything the picture of lines shows, whatever draws it.

    Attributes:
        strands: The chosen head's lines first, then those of the heads beside it.
        allowed: Where the mask lets a query look.
        query_tokens: One token a row.
        key_tokens: One token a column.
        query: The query in focus, counted in this picture; None when it is hidden.
        key: The key in focus, likewise.
        lock: Whose lines stand out: the query's in focus, the key's, or nobody's, and all are seen alike.
        mass: Of each row, the largest weights up to this many percent have a line.
        block: Which sentence looks at which, where there are two.
        note: What the reader must know of tokens that are not shown; "" when all are.
    """

    strands: tuple[Strand, ...]
    allowed: Bool[np.ndarray, "query key"]
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    query: int | None = None
    key: int | None = None
    lock: Side | None = "query"
    mass: int = 100
    block: Block = "all"
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be told apart, and parts that do not fit together."""
        if not 0 < len(self.strands) <= MOST_HEADS:
            raise InputError(f"lines are drawn for 1 to {MOST_HEADS} heads, not for {len(self.strands)}")
        size = (len(self.query_tokens), len(self.key_tokens))
        for shape in (self.allowed.shape, *(strand.weights.shape for strand in self.strands)):
            if shape != size:
                raise InputError(f"lines between {size[0]} × {size[1]} tokens cannot show {shape} weights")

    @property
    def locked(self) -> tuple[Side, int] | None:
        """The token whose lines stand out; None where all are seen alike, as where it has no line."""
        at = self.query if self.lock == "query" else self.key
        if self.lock is None or at is None:
            return None
        cells = np.s_[at] if self.lock == "query" else np.s_[:, at]
        return (self.lock, at) if any(strand.drawn[cells].any() for strand in self.strands) else None

    @cached_property
    def in_order(self) -> Float[np.ndarray, "line field"]:
        """What `table` says, made once."""
        least = _least(self.strands)
        every = np.concatenate([_entries(self, at, least) for at in range(len(self.strands))])
        return every[np.lexsort((every[:, 3], _own(self, every)))][-MOST_LINES:]


def _least(strands: tuple[Strand, ...]) -> float:
    """The weight from which on a line is among the heaviest that there is room for."""
    weights = np.concatenate([strand.weights[strand.drawn] for strand in strands])
    return float(np.partition(weights, -MOST_LINES)[-MOST_LINES]) if len(weights) > MOST_LINES else 0.0


def _entries(lines: Lines, at: int, least: float) -> Float[np.ndarray, "line field"]:
    """One head's lines that are heavy enough, and all of the locked token's."""
    strand = lines.strands[at]
    kept = strand.weights >= least
    if (locked := lines.locked) is not None:
        kept[np.s_[locked[1]] if locked[0] == "query" else np.s_[:, locked[1]]] = True
    cells = np.argwhere(kept & strand.drawn)
    heads = np.full(len(cells), at)
    return np.column_stack((heads, cells, strand.weights[tuple(cells.T)])).astype(np.float32)


@dataclass(frozen=True)
class Rows:
    """Where the two columns of tokens stand, in pixels from the top."""

    pitch: float
    size: float
    height: float

    def y(self, row: float) -> float:
        """The middle of a row."""
        return TOP + (row + 0.5) * self.pitch


def rows_of(lines: Lines) -> Rows:
    """Rows as high as the page has room for, and letters that fit them."""
    count = max(len(lines.query_tokens), len(lines.key_tokens))
    pitch = 17.0 if count > 24 else min(34.0, 460 / count)
    return Rows(pitch=pitch, size=min(15.0, 0.8 * pitch), height=TOP + count * pitch + BOTTOM)


def table(lines: Lines) -> Float[np.ndarray, "line field"]:
    """Every line as (head, query, key, weight): the locked token’s last, and in each part the heaviest last.

    The head is counted among the strands. What comes later is drawn over what comes before.
    """
    return lines.in_order


def drawn(lines: Lines) -> tuple[Float[np.ndarray, "line field"], Float[np.ndarray, "line field"]]:
    """The lines that are drawn while nobody hovers: those of other tokens, and the locked token's own."""
    every = table(lines)
    own = _own(lines, every)
    return every[~own][-MOST_OTHERS:], every[own]


def _own(lines: Lines, every: Float[np.ndarray, "line field"]) -> Bool[np.ndarray, " line"]:
    if (locked := lines.locked) is None:
        return np.zeros(len(every), dtype=np.bool_)
    side, at = locked
    own: Bool[np.ndarray, " line"] = every[:, 1 if side == "query" else 2] == at
    return own


def n_left_out(lines: Lines) -> int:
    """How many lines are too many to be drawn."""
    others, own = drawn(lines)
    return sum(int(strand.drawn.sum()) for strand in lines.strands) - len(others) - len(own)


def width(weight: float) -> float:
    """How thick a line is."""
    return THIN + THICK * weight


def opacity(weight: float, *, own: bool, locked: bool) -> float:
    """How strong a line is.

    Args:
        weight: What it stands for.
        own: Whether it is the locked token's.
        locked: Whether any token is locked.
    """
    if not locked:
        return FREE[0] + FREE[1] * weight
    return OWN[0] + OWN[1] * weight if own else FAINT


def shift(lines: Lines, strand: int) -> float:
    """How far below the middle of its row a head's lines begin: heads of one pair would hide each other."""
    return (strand - (len(lines.strands) - 1) / 2) * min(_APART, 0.1 * rows_of(lines).pitch)


def constants() -> dict[str, Any]:
    """The numbers of this file that the page's script draws with."""
    return {
        "thin": THIN,
        "thick": THICK,
        "faint": FAINT,
        "own": OWN,
        "free": FREE,
        "top": TOP,
        "width": WIDTH,
        "others": MOST_OTHERS,
    }
