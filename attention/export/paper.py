"""A drawing as PNG, SVG or PDF, whatever it shows. No browser is needed to make them.

matplotlib is imported when the first picture is asked for: on a fresh machine it looks through all fonts
then, which takes seconds and would hold up the first page.
"""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ONE_AT_A_TIME = threading.Lock()

_SETTINGS: Any = {
    "text.parse_math": False,  # $x$ is a token, not a formula
    "svg.fonttype": "none",  # text stays text; the face travels inside the file
    "svg.hashsalt": "headlight",
    "pdf.fonttype": 42,  # TrueType, which keeps the text selectable
    "font.family": ["DejaVu Sans"],
    "hatch.linewidth": 0.5,
}

# A shape costs a hundred bytes in a file and next to nothing in a bitmap, where images are slow instead.
_SHAPES_IN_FILES, _SHAPES_IN_BITMAPS = 64, 512
_FINE, _COARSE = 192, 144
_LARGE_PAGE = 900


@dataclass(frozen=True, kw_only=True)
class Paper:
    """What goes on a sheet of its own.

    Attributes:
        title: One line.
        summary: Everything the file says about itself, on one line.
        spoken: The picture in words.
        draw: Makes the figure; it is told up to how many rows each cell is a shape of its own.
    """

    title: str
    summary: str
    spoken: str
    draw: "Callable[[int], Figure]"


def png(paper: Paper) -> bytes:
    """A bitmap, sharp on a screen of twice the usual resolution."""
    about = {"Title": paper.title, "Description": paper.summary, "Software": "Headlight"}
    with _drawn(paper, _SHAPES_IN_BITMAPS) as figure:
        large = max(72 * figure.get_size_inches()) > _LARGE_PAGE
        return _saved(figure, format="png", metadata=about, dpi=_COARSE if large else _FINE)


def svg(paper: Paper) -> bytes:
    """Vector graphics whose labels are text, with their letters embedded."""
    about = {"Title": paper.title, "Description": paper.summary, "Date": None}
    with _drawn(paper, _SHAPES_IN_FILES) as figure:
        file = _saved(figure, format="svg", metadata=about).decode("utf-8")
        rules = _letters(figure)
    spoken = f"<title>{escape(paper.title)}</title><desc>{escape(paper.spoken)}</desc>"
    head, rest = file.split("<metadata>", 1)
    return f"{head}{spoken}<style>{rules}</style><metadata>{rest}".encode()


def pdf(paper: Paper) -> bytes:
    """One page, as large as the picture needs, with its fonts embedded."""
    about = {"Title": paper.title, "Subject": paper.summary, "CreationDate": None}
    with _drawn(paper, _SHAPES_IN_FILES) as figure:
        return _saved(figure, format="pdf", metadata=about)


@contextmanager
def _drawn(paper: Paper, most_shapes: int) -> "Iterator[Figure]":
    """A finished figure, with matplotlib to ourselves: its settings belong to the whole process."""
    import matplotlib as mpl

    with _ONE_AT_A_TIME, mpl.rc_context(_SETTINGS):
        yield paper.draw(most_shapes)


def _letters(figure: "Figure") -> str:
    from attention.export.drawing import embedded_letters

    return embedded_letters(figure)


def _saved(figure: "Figure", **options: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, **options)
    return file.getvalue()
