"""From a score to a weight in a few numbers, each over the operation that made it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attention.figures.numbers import share, signed
from attention.figures.strips import Floats, themed
from attention.figures.theme import Palette


@dataclass(frozen=True, slots=True)
class Link:
    """One number of a chain, and the operation under it (our own markup)."""

    number: str
    operation: str
    kind: Literal["plain", "closed", "result"] = "plain"


def linked(links: Sequence[Link]) -> str:
    """Numbers side by side."""
    items = (
        f'<div class="{link.kind}"><b>{link.number}</b><span>{link.operation}</span></div>' for link in links
    )
    return f'<div class="chain">{"".join(items)}</div>'


def chain(
    score: float,
    scaled: float,
    masked_row: Floats,
    key: int,
    *,
    palette: Palette,
    scale_text: str = "÷ √d",
    between: Sequence[tuple[str, float]] = (),
) -> str:
    """From the score to the weight in five numbers.

    Args:
        score: The sum of products.
        scaled: The same after scaling.
        masked_row: [key], the query's row as softmax gets it: −∞ where not allowed.
        key: The key in focus.
        palette: The theme.
        scale_text: What scaling does, such as "÷ √32".
        between: What a soft cap or a bias makes of the number: (operation, result), in order.
    """
    links = [Link(signed(score), "sum of products"), Link(signed(scaled), scale_text)]
    links += [Link(signed(value), operation) for operation, value in between]
    row = masked_row.astype(np.float64)
    links += _softmax(row, key) if np.isfinite(row[key]) else _nothing(row)
    return themed(palette, linked(links))


def _softmax(row: Floats, key: int) -> list[Link]:
    top = float(row[np.isfinite(row)].max())
    exps = np.exp(row - top)
    total = float(exps.sum())
    return [
        Link(signed(float(row[key]) - top), "− row’s largest"),
        Link(_four(float(exps[key])), "exp"),
        Link(_four(float(exps[key]) / total), f"÷ {signed(total)} = <strong>weight</strong>", "result"),
    ]


def _nothing(row: Floats) -> list[Link]:
    """A pair that is not allowed; or a query for which none is."""
    why = "" if np.isfinite(row).any() else ": this query sees nothing"
    return [
        Link("−∞", "masked", "closed"),
        Link("0", "exp", "closed"),
        Link("0", f"<strong>weight</strong>{why}", "closed"),
    ]


def _four(x: float) -> str:
    """A share to four digits; its order of magnitude where those would all be zero; 0 only for 0."""
    return f"{x:.4f}" if x >= 0.00005 else share(x)
