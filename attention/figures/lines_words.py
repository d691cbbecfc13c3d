"""What is written about lines: names where they end, a legend, and the picture in words."""

import numpy as np

from attention.figures.labels import plain_label
from attention.figures.lines import BLOCKS, Lines, Side, n_left_out
from attention.figures.theme import Palette, head_colours

_MOST_NAMES = 3


def tags(lines: Lines, side: Side, at: int) -> dict[int, str]:
    """Where the names of the heads stand, each at its heaviest line from or to one token.

    One head needs no name; its title has it. Heads that share a token share its tag.
    """
    found: dict[int, list[str]] = {}
    for strand in lines.strands if len(lines.strands) > 1 else ():
        drawn = strand.drawn[at] if side == "query" else strand.drawn[:, at]
        values = strand.weights[at] if side == "query" else strand.weights[:, at]
        if drawn.any():
            found.setdefault(int(np.where(drawn, values, -1).argmax()), []).append(strand.name)
    return {row: _few(names) for row, names in found.items()}


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return " ".join(names[:_MOST_NAMES]) + (f" +{more}" if more > 0 else "")


def legend(lines: Lines, palette: Palette) -> tuple[tuple[str, str], ...]:
    """The name of each head and its colour."""
    names = (strand.name for strand in lines.strands)
    return tuple(zip(names, head_colours(palette), strict=False))


def said(lines: Lines) -> str:
    """Which lines there are, in words."""
    which = (
        "every weight above 0"
        if lines.mass == 100
        else f"the largest weights up to {lines.mass} % of each row"
    )
    block = "" if lines.block == "all" else f", {BLOCKS[lines.block]} only"
    left = n_left_out(lines)
    cut = f"; the {left:,} lightest of them are left out" if left else ""
    return f"lines for {which}{block}{cut}"


def describe(lines: Lines) -> str:
    """The picture in words, for readers who do not see it."""
    names = ", ".join(strand.name for strand in lines.strands)
    count = sum(int(strand.drawn.sum()) for strand in lines.strands)
    text = f"{count - n_left_out(lines)} lines of {names} from {len(lines.query_tokens)} queries"
    text += f" to {len(lines.key_tokens)} keys: {said(lines)}."
    if (locked := lines.locked) is None:
        return text
    side, at = locked
    token = plain_label((lines.query_tokens if side == "query" else lines.key_tokens)[at])
    return f"{text} Those {'from' if side == 'query' else 'to'} {token} stand out."
