"""Each drawing's way onto paper."""

from matplotlib.figure import Figure

from attention.export import dials_drawing, gallery_drawing, layer_drawing, squares_drawing
from attention.export.plate_sheet import Words
from attention.figures.block_layout import Block
from attention.figures.dials import Dials
from attention.figures.drawings import Drawing
from attention.figures.mask_gallery import MaskGallery
from attention.figures.squares import Squares
from attention.figures.theme import Palette


def draw_drawing(drawing: Drawing, words: Words, palette: Palette) -> Figure:
    """The drawing on a page with its words."""
    match drawing:
        case Block():
            return layer_drawing.draw(drawing, words, palette)
        case Dials():
            return dials_drawing.draw(drawing, words, palette)
        case MaskGallery():
            return gallery_drawing.draw(drawing, words, palette)
        case Squares():
            return squares_drawing.draw(drawing, words, palette)
