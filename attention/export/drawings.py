"""Each subject's way onto paper."""

from matplotlib.figure import Figure

from attention.export import (
    drawing,
    head_grid_drawing,
    lines_drawing,
    neurons_drawing,
    sentence_drawing,
    steps_drawing,
)
from attention.export.view import View
from attention.figures.head_grid import HeadGrid
from attention.figures.lines import Lines
from attention.figures.lit_sentence import LitSentence
from attention.figures.neurons import Neurons
from attention.figures.step_strip import StepStrip
from attention.figures.theme import Palette


def draw(view: View, palette: Palette, *, most_shapes: int) -> Figure:
    """What the view shows, drawn; the heatmap where it is a table that is shown.

    Args:
        view: What to draw.
        palette: In which colours.
        most_shapes: Up to how many tokens each cell of a heatmap is a shape of its own.
    """
    match shown := view.shown:
        case Lines():
            return lines_drawing.draw(view, shown, palette)
        case Neurons():
            return neurons_drawing.draw(view, shown, palette)
        case LitSentence():
            return sentence_drawing.draw(view, shown, palette)
        case StepStrip():
            return steps_drawing.draw(view, shown, palette)
        case HeadGrid():
            return head_grid_drawing.draw(view, shown, palette)
    return drawing.draw(view, palette, most_shapes=most_shapes)
