"""The weights of one head as they are to be drawn, and how a weight becomes a shade."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.figures.mask_runs import blind_rows
from attention.figures.numbers import MINUS, share

Range = Literal["fixed", "head", "log"]

FLOOR = 1e-4
"""Where the log range begins: this and everything below it, zero too, is drawn as the background."""


FAINT = 0.04
"""Below this a shade of the fixed scale can hardly be told from the ground."""

MOSTLY = 0.95


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """The weights of one head, rows that look and columns that are looked at.

    Attributes:
        values: The weights, as they are to be read (already renormalised where the note says so).
        allowed: Which cells the mask leaves open; the others are hatched, never shaded.
        query_tokens: One token a row.
        key_tokens: One token a column.
        query: The row in focus, counted in this picture; None when it is hidden.
        key: The column in focus, likewise.
        range: What the darkest shade stands for: 1 ("fixed"), this head's largest weight ("head"), or 1 on
            a logarithmic scale ("log").
        query_positions: Where each row's token stands in the sequence; 0, 1, 2, … when left out.
        key_positions: Likewise for the columns.
        block: Queries and keys that a cell stands for; more than one where weights are pooled. Tokens and
            positions are the first of each block then.
        in_focus: The tokens of query and key in focus, where a row and a column hold several; what stands
            beside them then, since the first of its block may be another.
        note: What the reader must know of tokens that are not shown; "" when all are.
        blind: The rows whose query may see nothing at all, not even a key that is not shown; found among the
            keys shown when left out.
    """

    values: Float[np.ndarray, "query key"]
    allowed: Bool[np.ndarray, "query key"]
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    query: int | None = None
    key: int | None = None
    range: Range = "fixed"
    query_positions: tuple[int, ...] = ()
    key_positions: tuple[int, ...] = ()
    block: tuple[int, int] = (1, 1)
    in_focus: tuple[str, str] | None = None
    note: str = ""
    blind: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Fill in the positions and refuse parts that do not fit together."""
        rows, columns = len(self.query_tokens), len(self.key_tokens)
        object.__setattr__(self, "query_positions", self.query_positions or tuple(range(rows)))
        object.__setattr__(self, "key_positions", self.key_positions or tuple(range(columns)))
        if self.blind is None:
            object.__setattr__(self, "blind", blind_rows(self.allowed))
        if not rows or not columns:
            raise InputError(f"nothing to draw: {rows} queries by {columns} keys")
        sizes = {
            "values": self.values.shape,
            "allowed": self.allowed.shape,
            "positions": (len(self.query_positions), len(self.key_positions)),
        }
        for name, size in sizes.items():
            if size != (rows, columns):
                given = " × ".join(map(str, size))
                raise InputError(f"{name} are for {given} tokens, but the picture has {rows} × {columns}")


def beside(picture: Picture) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens that stand beside the rows and over the columns."""
    if picture.in_focus is None:
        return picture.query_tokens, picture.key_tokens
    query, key = picture.in_focus
    return _named(picture.query_tokens, picture.query, query), _named(picture.key_tokens, picture.key, key)


def _named(tokens: tuple[str, ...], at: int | None, name: str) -> tuple[str, ...]:
    return tokens if at is None else (*tokens[:at], name, *tokens[at + 1 :])


def blind(picture: Picture) -> tuple[int, ...]:
    """The rows whose query may see nothing at all."""
    return picture.blind or ()


def closed(picture: Picture, *, sightless: bool) -> str:
    """What a hover says of a cell that nobody may look through."""
    if picture.block[0] > 1:
        return "these queries see nothing" if sightless else "masked for these queries"
    return "this query sees nothing" if sightless else "masked for this query"


def top(picture: Picture) -> float:
    """The weight that gets the last shade of the scale."""
    if picture.range != "head":
        return 1.0
    largest = float(np.max(picture.values, initial=0.0, where=picture.allowed))
    return largest if largest > 0 else 1.0


def faint(picture: Picture) -> bool:
    """Whether all but a few open cells of a fixed scale look like the ground, though not all are 0."""
    if picture.range != "fixed" or not picture.allowed.any():
        return False
    seen = picture.values[picture.allowed]
    return bool(np.mean(seen < FAINT) >= MOSTLY) and bool(seen.any())


def heights(picture: Picture) -> Float[np.ndarray, "query key"]:
    """How far up the scale each weight stands, 0 to 1."""
    if picture.range == "log":
        decades = np.log10(np.clip(picture.values, FLOOR, 1)) / np.log10(FLOOR)
        return np.asarray(np.clip(1 - decades, 0, 1))
    shares: Float[np.ndarray, "query key"] = np.clip(picture.values / top(picture), 0, 1)
    return shares


def legend(picture: Picture) -> tuple[tuple[float, str], ...]:
    """Three places on the colour bar, 0 to 1, and what is written there."""
    if picture.range == "log":
        return ((0.0, f"{share(FLOOR)} or less"), (0.5, _two(FLOOR**0.5)), (1.0, "1 weight"))
    highest = top(picture)
    return ((0.0, "0"), (0.5, _two(highest / 2)), (1.0, f"{_two(highest)} weight"))


def describe(picture: Picture) -> str:
    """The picture in words, for readers who do not see it.

    >>> describe(Picture(values=np.eye(2), allowed=np.eye(2) > 0, query_tokens=("I", "learn"),
    ...     key_tokens=("I", "learn"), query=1, key=0))
    'Attention weights, 2 queries by 2 keys, 2 cells masked. The largest, 1.00, is from I (0) to I (0).'
    """
    rows, columns = picture.values.shape
    masked = int((~picture.allowed).sum())
    said = f"Attention weights, {rows} queries by {columns} keys"
    said += f", {masked} {'cell' if masked == 1 else 'cells'} masked." if masked else "."
    return said + _largest(picture) + (f" {picture.note.capitalize()}." if picture.note else "")


def _largest(picture: Picture) -> str:
    if not picture.allowed.any():
        return ""
    open_values = np.where(picture.allowed, picture.values, -np.inf)
    row, column = np.unravel_index(int(open_values.argmax()), open_values.shape)
    query = f"{plain_label(picture.query_tokens[row])} ({picture.query_positions[row]})"
    key = f"{plain_label(picture.key_tokens[column])} ({picture.key_positions[column]})"
    return f" The largest, {float(open_values.max()):.2f}, is from {query} to {key}."


def _two(x: float) -> str:
    return f"{x:.2g}".replace("-", MINUS)
