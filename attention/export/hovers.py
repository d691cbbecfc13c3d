"""What is said where a pointer rests on a drawing: an SVG's own titles, which need no script.

matplotlib writes the name of a shape as the id of its group; the words travel there and become a title.
"""

import re

from matplotlib.artist import Artist

from attention.figures.labels import visible

AREA, STROKE = "hover-all", "hover-stroke"
MOST = 800
"""Cells of one drawing that have words of their own; where there are more, a row speaks for its cells."""

_GROUP = re.compile(rb"""<g id=(["'])hover-(all|stroke):(.*?)\1>""")


def say(artist: Artist, text: str, kind: str = AREA) -> None:
    """Let a shape say something.

    Args:
        artist: The shape.
        text: What it says.
        kind: Whether its whole area listens, or its stroke alone.
    """
    artist.set_gid(f"{kind}:{visible(text)}")


def titled(svg: bytes) -> bytes:
    """An SVG file whose shapes say what they were given to say."""
    return _GROUP.sub(rb'<g pointer-events="\2"><title>\3</title>', svg)
