"""A view as one HTML file that needs no network: picture, facts, and the numbers as a table."""

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go
import plotly.io

from attention.export import subjects
from attention.export.images import svg
from attention.export.subjects import Table
from attention.export.view import View, facts, python, title
from attention.figures.head_grid import HeadGrid
from attention.figures.heatmap import heatmap, size
from attention.figures.labels import plain_label, visible
from attention.figures.numbers import share
from attention.figures.picture import Picture
from attention.figures.theme import LIGHT, Palette

_MOST_FOLDED, _MOST_ALONE = 64, 256

# Nothing may be loaded from anywhere: what the file shows is in the file.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)

_STYLE = """
body{{margin:2rem auto;padding:0 1rem;max-width:60rem;background:{bg};color:{ink};
  font:15px/1.5 "Source Sans","Source Sans 3",system-ui,sans-serif;font-variant-numeric:tabular-nums}}
h1{{font:600 1.4rem/1.3 "Source Serif","Source Serif 4",Georgia,serif}}
dl{{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;color:{text2}}}
dd{{margin:0;color:{ink};white-space:pre-wrap;overflow-wrap:anywhere}}
.wide{{overflow-x:auto}}
table{{border-collapse:collapse;font-size:.85rem}} th,td{{padding:.1rem .5rem;text-align:right}}
th{{font-weight:400;color:{text2}}} td.masked{{color:{masked}}}
pre{{background:{panel};padding:.8rem;overflow-x:auto}} summary{{cursor:pointer;color:{text2}}}
"""


def html(view: View, palette: Palette = LIGHT) -> bytes:
    """What the view shows, in a file of its own: heatmap with its hovers, drawing, or table alone."""
    body = _numbers(view)
    body += (
        f"<details><summary>The same in Python</summary><pre>{_text(python(view), keep_lines=True)}</pre>"
        "</details>"
    )
    spoken = subjects.describe(view.shown)
    return document(title(view), facts(view), _drawn(view, palette), body, spoken=spoken, palette=palette)


def document(
    name: str, said: Mapping[str, str], drawn: str, body: str, *, spoken: str, palette: Palette
) -> bytes:
    """A page of its own, which loads nothing.

    Args:
        name: Its title.
        said: What one must know to read it.
        drawn: The picture, as HTML of our own making; "" where there is none but a table.
        body: What follows the picture, likewise.
        spoken: The picture in words.
        palette: In which colours.
    """
    style = _STYLE.format(**vars(palette))
    picture = f'<div class="wide" role="img" aria-label="{_text(spoken)}">{drawn}</div>' if drawn else ""
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(name)}</title>
<style>{style}</style>
</head>
<body>
<h1>{_text(name)}</h1>
<dl>{_facts(said)}</dl>
{picture}
{body}
</body>
</html>
"""
    return page.encode("utf-8", "replace")


def _drawn(view: View, palette: Palette) -> str:
    match view.shown:
        case Picture():
            width, height = size(view.picture)
            return plotted(heatmap(view.picture, palette), "heatmap", width, height)
        case Table():
            return ""
    return inline(svg(view, palette))


def inline(file: bytes) -> str:
    """An SVG file as a part of a page: without the lines that make it a file."""
    text = file.decode("utf-8")
    return text[text.index("<svg") :]


def plotted(figure: go.Figure, name: str, width: int, height: int) -> str:
    """A figure that is alive, with Plotly itself."""
    drawn: str = plotly.io.to_html(
        figure,
        full_html=False,
        include_plotlyjs=True,
        div_id=name,
        config={"displayModeBar": False},
        default_width=f"{width}px",
        default_height=f"{height}px",
    )
    return drawn


def _facts(said: Mapping[str, str]) -> str:
    return "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in said.items())


def _numbers(view: View) -> str:
    """The weights for readers who would rather have numbers: the whole page, folded away, or not at all."""
    match view.shown:
        case HeadGrid():
            return ""
        case Table():
            return _table(view, _MOST_ALONE)
    return f"<details><summary>The numbers</summary>{_table(view, _MOST_FOLDED)}</details>"


def _table(view: View, most: int) -> str:
    """The weights as a table, where it does not drown the page."""
    picture = view.picture
    if max(picture.values.shape) > most:
        return "<p>The numbers are in the CSV file.</p>"
    heads = "".join(
        f'<th scope="col">{_named(*key)}</th>'
        for key in zip(picture.key_tokens, picture.key_positions, strict=True)
    )
    rows = "".join(_row(view, row) for row in range(len(picture.query_tokens)))
    return (
        '<div class="wide"><table>'
        f"<thead><tr><th>query ↓ key →</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(view: View, row: int) -> str:
    picture = view.picture
    cells = "".join(
        f"<td>{share(float(value))}</td>" if allowed else '<td class="masked">masked</td>'
        for value, allowed in zip(picture.values[row], picture.allowed[row], strict=True)
    )
    name = _named(picture.query_tokens[row], picture.query_positions[row])
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def _named(token: str, position: int) -> str:
    return f"<bdi>{escape(plain_label(token))}</bdi> ({position})"


def _text(text: str, *, keep_lines: bool = False) -> str:
    """Text and nothing but text, in an element or in an attribute."""
    lines = text.split("\n") if keep_lines else [text]
    return "\n".join(escape(visible(line)) for line in lines)
