"""Kinds of layer side by side: steps that wait, the way between two positions, layers it takes.

A table of HTML, so that the picture is its own table.
"""

import html
from collections.abc import Sequence

from attention.figures.strips import themed
from attention.figures.theme import Palette

Kind = tuple[str, tuple[str, str], int, int, int]
"""Name, how its steps and its path grow, steps that wait, steps of the path, layers of the path."""


def kinds(rows: Sequence[Kind], palette: Palette) -> str:
    """A line a kind; under each count, how it grows."""
    head = (
        '<tr><th scope="col">layer</th><th scope="col" class="number">steps that wait for each other</th>'
        '<th scope="col" class="number">steps between the two</th>'
        '<th scope="col" class="number">layers needed</th></tr>'
    )
    body = "".join(map(_row, rows))
    return themed(palette, f'<table class="kinds"><thead>{head}</thead><tbody>{body}</tbody></table>')


def _row(row: Kind) -> str:
    name, (waiting_grows, path_grows), waiting, path, n_layers = row
    return (
        f'<tr><th scope="row">{html.escape(name)}</th>'
        f'<td class="number"><b>{waiting:,}</b><small>{html.escape(waiting_grows)}</small></td>'
        f'<td class="number"><b>{path:,}</b><small>{html.escape(path_grows)}</small></td>'
        f'<td class="number"><b>{n_layers:,}</b></td></tr>'
    )
