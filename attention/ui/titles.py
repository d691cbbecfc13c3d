"""The titles of pages, sections and pictures: real headings, by which a screen reader finds its way."""

from __future__ import annotations

from typing import Literal

Level = Literal[2, 3]
Kind = Literal["", "line", "line small", "small", "words"]


def brand(name: str, line: str) -> str:
    """The page's own title and one line about it, both HTML.

    >>> brand("Start here", "seven steps")
    '<div class="brand"><h1>Start here</h1><small>seven steps</small></div>'
    """
    return f'<div class="brand"><h1>{name}</h1><small>{line}</small></div>'


def title(name: str, said: str = "", *, kind: Kind = "", level: Level = 2) -> str:
    """A title and, smaller behind it, what it speaks of.

    Args:
        name: The title, HTML; this alone is the heading.
        said: What stands behind it, HTML.
        kind: "line" where controls stand in the same line, "small" over a picture, "words" over a list.
        level: 3 for what stands inside a section that has a title of its own.

    >>> title("Seven steps", "L4 H4", kind="line")
    '<div class="title line"><h2>Seven steps</h2><span class="m">L4 H4</span></div>'
    """
    behind = f'<span class="m">{said}</span>' if said else ""
    return f'<div class="{f"title {kind}".strip()}"><h{level}>{name}</h{level}>{behind}</div>'
