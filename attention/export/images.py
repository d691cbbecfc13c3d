"""PNG, SVG and PDF of a view."""

from typing import TYPE_CHECKING

from attention.export import paper, subjects
from attention.export.paper import Paper
from attention.export.view import View, summary, title
from attention.figures.theme import LIGHT, Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def png(view: View, palette: Palette = LIGHT) -> bytes:
    """A bitmap, sharp on a screen of twice the usual resolution."""
    return paper.png(_paper(view, palette))


def svg(view: View, palette: Palette = LIGHT) -> bytes:
    """Vector graphics whose labels are text, with their letters embedded, and whose shapes have hovers."""
    from attention.export.hovers import titled  # as below

    return titled(paper.svg(_paper(view, palette)))


def pdf(view: View, palette: Palette = LIGHT) -> bytes:
    """One page, as large as the picture needs, with its fonts embedded."""
    return paper.pdf(_paper(view, palette))


def _paper(view: View, palette: Palette) -> Paper:
    def draw(most_shapes: int) -> "Figure":
        from attention.export import drawings  # it brings matplotlib along

        return drawings.draw(view, palette, most_shapes=most_shapes)

    return Paper(title=title(view), summary=summary(view), spoken=subjects.describe(view.shown), draw=draw)
