"""What the page draws by itself as files: the drawing of one block, and the table of one layer's steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention.analysis.journey import Step
from attention.export.plate import Plate
from attention.figures.block_layout import NAMES, Block
from attention.figures.grid import Grid
from attention.figures.numbers import share
from attention.ui.block import words

DRAWN = "One block of this model"
_PLACES = ("before it", "after, beside the stream", "on the stream, after it")


def drawing_plate(block: Block, facts: Mapping[str, str]) -> Plate:
    """The drawing, and where the norms stand as ones and zeros."""
    norms = [[bool(part.before), bool(part.after_sublayer), bool(part.after_add)] for part in block.sublayers]
    return Plate(
        picture=Grid(
            title=DRAWN,
            values=np.array(norms),
            rows=tuple(NAMES[part.kind] for part in block.sublayers),
            columns=_PLACES,
            row_title="sublayer",
            column_title="a norm stands",
            scale="ink",
        ),
        key="block-drawing",
        facts=facts,
        caption=words.drawing_caption(block),
        drawing=block,
    )


def chain_plate(steps: Sequence[Step], difference: float, facts: Mapping[str, str]) -> Plate:
    """One layer's changes to the token, in lengths and cosines; where there is none, no number."""
    numbers = [words.came_in(steps), *map(words.cells, steps)]
    values = np.array(numbers, dtype=np.float64)  # None is NaN
    return Plate(
        picture=Grid(
            title=f"L{steps[0].layer}, step by step",
            values=values,
            rows=(words.CAME_IN, *(words.ROWS[step.kind] for step in steps)),
            columns=words.CHAIN,
            row_title="change",
            column_title="length (L2) or cosine",
            scale="ink",
            allowed=np.isfinite(values),
        ),
        key="block-steps",
        facts={**facts, "largest difference from the forward pass": share(difference)},
    )
