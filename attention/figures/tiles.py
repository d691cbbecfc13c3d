"""Attention by tiles at one step: what is held, what was thrown away, what is still to come.

A string of SVG, to be shown by `ui.components.markup` and to be saved as it is.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attention.figures.frame import spaced
from attention.figures.labels import columns, plain_label
from attention.figures.mask_runs import mask_runs
from attention.figures.numbers import MINUS, signed
from attention.figures.strips import Floats, colours_of, matrix_uri, peak
from attention.figures.theme import Palette, score_scale, text_on

_CELL, _LARGEST = 44, 420
_LETTER, _LABEL_LIMIT = 7.0, 14
_ROW_FOR_WORDS, _COLUMN_FOR_WORDS = 12, 18  # leaning words need more room beside one another
_CELL_FOR_NUMBERS = 27
_MOST_HOVERS = 1024
_PAST = 0.32


@dataclass(frozen=True, eq=False, kw_only=True)
class TileBoard:
    """The scores of one head after some tiles.

    Attributes:
        queries: Raw tokens of the rows.
        keys: Raw tokens of the columns.
        scores: The scores of all tiles so far; NaN where no tile has been, −∞ where masked.
        row_cuts: Where the rows are cut, from 0 to their number.
        column_cuts: The same of the columns.
        current: Rows and columns of the tile that is held.
        number: Which tile it is, from 1.
    """

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    scores: Floats
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]
    current: tuple[range, range]
    number: int

    @property
    def n_tiles(self) -> int:
        """Tiles in all."""
        return (len(self.row_cuts) - 1) * (len(self.column_cuts) - 1)


@dataclass(frozen=True)
class _Frame:
    """Where the cells stand, in pixels."""

    left: float
    top: float
    pitch: float

    def x(self, column: float) -> float:
        return self.left + self.pitch * column

    def y(self, row: float) -> float:
        return self.top + self.pitch * row


def describe(board: TileBoard) -> str:
    """The picture in words."""
    rows, keys = board.current
    return (
        f"{len(board.queries)} × {len(board.keys)} scores cut into {board.n_tiles} tiles. Tile "
        f"{board.number} is held: queries {rows.start} to {rows.stop - 1}, keys {keys.start} to "
        f"{keys.stop - 1}."
    )


def tile_board(board: TileBoard, palette: Palette) -> str:
    """Past tiles faded, the tile that is held in full colour and outlined, the others blank."""
    frame = _frame(board)
    width, height = frame.x(len(board.keys)) + 46, frame.y(len(board.queries)) + 4
    parts = [
        _hatch(palette),
        *_past(board, frame, palette),
        *_now(board, frame, palette),
        *_cuts(board, frame, palette),
        _outline(board, frame, palette),
        *_names(board, frame, palette),
    ]
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="100%" style="max-width:{width:.0f}px"'
    face = 'font-family="Source Sans, Source Sans 3, sans-serif"'
    label = f'role="img" aria-label="{html.escape(describe(board))}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {label} {size} {face}>{"".join(parts)}</svg>'


def _frame(board: TileBoard) -> _Frame:
    longest = max(columns(plain_label(token, _LABEL_LIMIT)) for token in board.queries)
    tallest = max(columns(plain_label(token, _LABEL_LIMIT)) for token in board.keys)
    pitch = min(_CELL, _LARGEST / max(len(board.queries), len(board.keys)))
    return _Frame(left=_LETTER * longest + 18, top=5.2 * tallest + 22, pitch=pitch)


def _hatch(palette: Palette) -> str:
    return (
        '<defs><pattern id="tile-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="5" height="5" fill="{palette.mask_ground}"/>'
        f'<rect width="1" height="5" fill="{palette.hatch}"/></pattern></defs>'
    )


def _past(board: TileBoard, frame: _Frame, palette: Palette) -> list[str]:
    """What earlier tiles held: gone from memory, left here as a trace."""
    everything = range(len(board.queries)), range(len(board.keys))
    return [f'<g opacity="{_PAST}">', *_cells(board, everything, frame, palette), "</g>"]


def _now(board: TileBoard, frame: _Frame, palette: Palette) -> list[str]:
    """The tile that is held, with its numbers where they fit."""
    rows, keys = board.current
    ground = _box(frame, rows, keys, f'fill="{palette.bg}"')
    many = len(rows) * len(keys) > _MOST_HOVERS
    numbers = [] if many else [_cell(board, frame, palette, row, key) for row in rows for key in keys]
    return [ground, *_cells(board, board.current, frame, palette), *numbers]


def _cells(board: TileBoard, part: tuple[range, range], frame: _Frame, palette: Palette) -> list[str]:
    """Scores as one picture, a pixel each, and the hatch of what is masked over it."""
    rows, keys = part
    scores = board.scores[rows.start : rows.stop, keys.start : keys.stop]
    finite = np.where(np.isfinite(scores), scores, 0.0)
    uri = matrix_uri(finite, limit=peak(board.scores), scale=score_scale(palette))
    place = f'x="{frame.x(keys.start):.2f}" y="{frame.y(rows.start):.2f}"'
    size = f'width="{frame.pitch * len(keys):.2f}" height="{frame.pitch * len(rows):.2f}"'
    image = (
        f'<image {place} {size} href="{uri}" preserveAspectRatio="none" style="image-rendering:pixelated"/>'
    )
    masked = [
        _box(frame, range(rows.start + row, rows.start + row + 1),
             range(keys.start + first, keys.start + stop), 'fill="url(#tile-hatch)"')
        for row, first, stop in mask_runs(~np.isneginf(scores))
    ]  # fmt: skip
    return [image, *masked]


def _cell(board: TileBoard, frame: _Frame, palette: Palette, row: int, key: int) -> str:
    """One cell of the tile that is held: its number, and who it stands for on hover."""
    score = float(board.scores[row, key])
    said = f"{plain_label(board.queries[row])} ({row}), {plain_label(board.keys[key])} ({key}): "
    said += f"{MINUS}∞, masked" if np.isneginf(score) else signed(score, 4)
    hover = f"<title>{html.escape(said)}</title>"
    cell = _box(frame, range(row, row + 1), range(key, key + 1), 'fill="transparent"', hover)
    if frame.pitch < _CELL_FOR_NUMBERS:
        return cell
    fill = palette.masked
    if np.isfinite(score):
        fill = text_on(colours_of(np.array([score]), peak(board.scores), score_scale(palette))[0])
    text = signed(score, 1 if abs(score) < 100 else 0)
    return (
        f'<g pointer-events="all">{cell}{_text(frame.x(key + 0.5), frame.y(row + 0.5) + 4, text, fill)}</g>'
    )


def _cuts(board: TileBoard, frame: _Frame, palette: Palette) -> list[str]:
    """The lines between tiles."""
    right, bottom = frame.x(len(board.keys)), frame.y(len(board.queries))
    stroke = f'stroke="{palette.text2}" stroke-width=".8" stroke-opacity=".7"'
    left, top = frame.left, frame.top
    down = [_line(frame.x(at), frame.x(at), top, bottom, stroke) for at in board.column_cuts]
    across = [_line(left, right, frame.y(at), frame.y(at), stroke) for at in board.row_cuts]
    return [*down, *across]


def _line(x1: float, x2: float, y1: float, y2: float, stroke: str) -> str:
    return f'<line x1="{x1:.2f}" x2="{x2:.2f}" y1="{y1:.2f}" y2="{y2:.2f}" {stroke}/>'


def _outline(board: TileBoard, frame: _Frame, palette: Palette) -> str:
    rows, keys = board.current
    return _box(frame, rows, keys, f'fill="none" stroke="{palette.ink}" stroke-width="2.5"')


def _names(board: TileBoard, frame: _Frame, palette: Palette) -> list[str]:
    """Tokens beside and above; those of the tile in their role's colour."""
    rows, keys = board.current
    down, along = (max(1, int(_LARGEST / room)) for room in (_ROW_FOR_WORDS, _COLUMN_FOR_WORDS))
    beside = [
        _text(frame.left - 8, frame.y(at + 0.5) + 4, plain_label(board.queries[at], _LABEL_LIMIT),
              palette.query if at in rows else palette.text2, anchor="end", strong=at in rows)
        for at in spaced(len(board.queries), down, rows.start)
    ]  # fmt: skip
    above = [
        _text(frame.x(at + 0.5) + 3, frame.top - 8, plain_label(board.keys[at], _LABEL_LIMIT),
              palette.key if at in keys else palette.text2, anchor="start", strong=at in keys, turn=-45)
        for at in spaced(len(board.keys), along, keys.start)
    ]  # fmt: skip
    return [*beside, *above]


def _text(
    x: float, y: float, text: str, fill: str, *, anchor: str = "middle", strong: bool = False, turn: int = 0
) -> str:
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    weight = ' font-weight="600"' if strong else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="12" fill="{fill}"{weight}{turned}>{html.escape(text)}</text>'


def _box(frame: _Frame, rows: range, keys: range, look: str, inside: str = "") -> str:
    place = f'x="{frame.x(keys.start):.2f}" y="{frame.y(rows.start):.2f}"'
    size = f'width="{frame.pitch * len(keys):.2f}" height="{frame.pitch * len(rows):.2f}"'
    return f"<rect {place} {size} {look}>{inside}</rect>"


def cuts(ranges: Sequence[range]) -> tuple[int, ...]:
    """Where a side is cut, from the pieces it is cut into.

    >>> cuts([range(0, 2), range(2, 3)])
    (0, 2, 3)
    """
    joined = all(left.stop == right.start for left, right in pairwise(ranges))
    if not ranges or not joined:
        raise ValueError(f"these pieces do not follow one another: {list(ranges)}")
    return (ranges[0].start, *(piece.stop for piece in ranges))
