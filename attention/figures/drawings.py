"""Pictures that are neither charts nor grids and that files draw as the page does."""

from typing import TypeAlias

from attention.figures import block_drawing, dials, mask_gallery, squares
from attention.figures.block_layout import Block
from attention.figures.dials import Dials
from attention.figures.mask_gallery import MaskGallery
from attention.figures.squares import Squares

Drawing: TypeAlias = Block | Dials | MaskGallery | Squares


def describe(drawing: Drawing) -> str:
    """The picture in words."""
    match drawing:
        case Block():
            return block_drawing.describe(drawing)
        case Dials():
            return dials.describe(drawing.shown)
        case MaskGallery():
            return mask_gallery.describe(drawing)
        case Squares():
            return squares.describe(drawing.each)
