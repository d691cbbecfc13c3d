"""What the reader chooses on the page."""

from __future__ import annotations

from dataclasses import dataclass

from attention.ui.cost.head import MOST_TOKENS
from attention.ui.cost.patterns import PATTERNS
from attention.ui.page_state import PageState, between, one_of
from attention.ui.url import Entry

LONGEST = (1000, 2000, 4000)
"""Longest texts that are measured."""

TEXTS = (1024, 4096, 16384)
WIDTHS = (32, 64, 128)
MEMORIES = (16_384, 49_152, 196_608)
"""Elements in fast memory: 64, 192 and 768 kB of float32."""


@dataclass(frozen=True)
class CostChoices:
    """The page's own choices.

    Attributes:
        most: The longest text that is measured.
        n_rows: Queries a tile; None is a quarter of the sentence.
        n_columns: Keys a tile; likewise.
        tile: The tile that is held, counted from 1; None is the first that corrects something.
        n_tokens: N of the memory traffic.
        d_head: d of the memory traffic.
        fast: M, elements in fast memory.
        pattern: A sparse pattern.
        reach: How far the pattern reaches.
        apart: How far two positions are apart.
    """

    most: int = 2000
    n_rows: int | None = None
    n_columns: int | None = None
    tile: int | None = None
    n_tokens: int = 1024
    d_head: int = 64
    fast: int = 49_152
    pattern: str = "window"
    reach: int = 2
    apart: int = 1000


PAGE = PageState(
    "cost",
    CostChoices(),
    {
        "most": Entry("most", between(100, LONGEST[-1])),
        "rows": Entry("n_rows", between(1, MOST_TOKENS)),
        "keys": Entry("n_columns", between(1, MOST_TOKENS)),
        "tile": Entry("tile", between(1, 1024)),
        "tokens": Entry("n_tokens", between(2, 1_000_000)),
        "d": Entry("d_head", between(1, 1024)),
        "fast": Entry("fast", between(1, 100_000_000)),
        "pattern": Entry("pattern", one_of(*PATTERNS)),
        "reach": Entry("reach", between(1, 64)),
        "apart": Entry("apart", between(1, 1_000_000)),
    },
)
