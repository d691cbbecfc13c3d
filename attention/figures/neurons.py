"""One query against every key, dimension by dimension: where a raw score comes from, and what becomes of it.

The idea of a view of single dimensions is Vig's (2019, "A Multiscale Visualization of Attention in the
Transformer Model", section 3.3). Here raw score, scaled score and weight each have a column of their own.
"""

import html
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from attention.errors import InputError
from attention.figures.labels import numbered, plain_label
from attention.figures.numbers import share, signed
from attention.figures.strips import colours_of, matrix_uri, peak, strip_svg, themed
from attention.figures.theme import Palette, role_scale, score_scale

MOST_KEYS = 256
"""Keys that are shown; of more, those with the largest weights, and the one in focus."""

_MOST_HOVERS = 2_560
_STRIP, _QUERY_STRIP = 15, 17


@dataclass(frozen=True, eq=False, kw_only=True)
class Neurons:
    """A query, every key it is scored against, and each step on the way to the weights.

    Attributes:
        query: As it is scored: after its norm and its turn, where the family has them.
        keys: Likewise.
        scores: The raw scores q · k.
        scaled: The same after scaling.
        between: What the family does to them before the mask: (name, scores after it).
        weights: What softmax makes of the row.
        lengths: α‖v‖, the length of what each key adds to the output.
        allowed: Which keys the query may look at.
        query_token: Its raw token.
        query_position: Where it stands.
        key_tokens: Raw tokens, one a row.
        key_positions: Where they stand.
        key: The row in focus; None when it is not shown.
        scale_text: What scaling does, such as "÷ √32".
        n_keys: How many keys there are in all.
    """

    query: Float[np.ndarray, " d_head"]
    keys: Float[np.ndarray, "key d_head"]
    scores: Float[np.ndarray, " key"]
    scaled: Float[np.ndarray, " key"]
    weights: Float[np.ndarray, " key"]
    lengths: Float[np.ndarray, " key"]
    allowed: Bool[np.ndarray, " key"]
    query_token: str
    query_position: int
    key_tokens: tuple[str, ...]
    key_positions: tuple[int, ...]
    key: int | None
    scale_text: str
    n_keys: int
    between: tuple[tuple[str, Float[np.ndarray, " key"]], ...] = ()

    def __post_init__(self) -> None:
        """Refuse rows that do not fit together."""
        n = len(self.key_tokens)
        rows = {"keys": self.keys, "scores": self.scores, "scaled": self.scaled, "weights": self.weights}
        for name, array in rows.items():
            if len(array) != n:
                raise InputError(f"{name} has {len(array)} rows, but there are {n} keys")

    @property
    def products(self) -> Float[np.ndarray, "key d_head"]:
        """q_j · k_j of every key; each row adds up to its raw score."""
        made: Float[np.ndarray, "key d_head"] = self.query * self.keys
        return made


def shown(neurons: Neurons, most: int = MOST_KEYS) -> Neurons:
    """The same with as many keys as there is room for: the heaviest and the one in focus, in order."""
    if len(neurons.key_tokens) <= most:
        return neurons
    heaviest = np.argsort(-neurons.weights, kind="stable")[:most]
    focus = [] if neurons.key is None or neurons.key in heaviest else [neurons.key]
    rows = np.sort(np.concatenate((heaviest[: most - len(focus)], focus)).astype(int))
    return replace(
        neurons,
        keys=neurons.keys[rows],
        scores=neurons.scores[rows],
        scaled=neurons.scaled[rows],
        weights=neurons.weights[rows],
        lengths=neurons.lengths[rows],
        allowed=neurons.allowed[rows],
        key_tokens=tuple(neurons.key_tokens[row] for row in rows),
        key_positions=tuple(neurons.key_positions[row] for row in rows),
        key=None if neurons.key is None else int(np.flatnonzero(rows == neurons.key)[0]),
        between=tuple((name, after[rows]) for name, after in neurons.between),
    )


def rest_note(neurons: Neurons) -> str:
    """How many keys are not shown; nothing when all are."""
    left = neurons.n_keys - len(neurons.key_tokens)
    return f"the {len(neurons.key_tokens)} keys with the largest weights, of {neurons.n_keys}" if left else ""


def describe(neurons: Neurons) -> str:
    """The picture in words, for readers who do not see it."""
    n, d = neurons.keys.shape
    said = f"The query {plain_label(neurons.query_token)} against {n} keys in {d} dimensions"
    if not neurons.allowed.any():
        return f"{said}; it sees none of them."
    at = int(np.where(neurons.allowed, neurons.weights, -1).argmax())
    return (
        f"{said}. The largest weight, {share(float(neurons.weights[at]))}, is on "
        f"{plain_label(neurons.key_tokens[at])}: raw score {signed(float(neurons.scores[at]))}, "
        f"scaled {signed(float(neurons.scaled[at]))}."
    )


def column_names(neurons: Neurons) -> tuple[str, ...]:
    """What stands over the numbers, in order."""
    between = [name.lower() for name, _ in neurons.between]
    return ("raw score", f"scaled, {neurons.scale_text}", *between, "weight α", "α‖v‖")


def numbers_of(neurons: Neurons, row: int) -> tuple[str, ...]:
    """The numbers of one key, in the same order."""
    between = [signed(float(after[row])) for _, after in neurons.between]
    weight = share(float(neurons.weights[row])) if neurons.allowed[row] else "masked"
    length = share(float(neurons.lengths[row])) if neurons.allowed[row] else "0"
    scores = signed(float(neurons.scores[row])), signed(float(neurons.scaled[row]))
    return (*scores, *between, weight, length)


def neurons_table(neurons: Neurons, palette: Palette) -> str:
    """The picture as HTML: a row for each key, its products as a strip, then what becomes of them."""
    names = numbered(neurons.key_tokens, neurons.key_positions)
    limit = peak(neurons.products)
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in column_names(neurons))
    rows = "".join(_row(neurons, row, names[row], limit, palette) for row in range(len(names)))
    first = '<th scope="col">key</th><th scope="col" class="vector">q<sub>j</sub> k<sub>j</sub></th>'
    top = f"<thead><tr>{first}{heads}</tr>{_query_row(neurons, palette)}</thead>"
    table = f'<table class="neurons">{top}<tbody>{rows}</tbody></table>'
    return themed(palette, table)


def _query_row(neurons: Neurons, palette: Palette) -> str:
    limit, scale = peak(neurons.query), role_scale(palette, "query")
    titles = [f"q[{j}] = {signed(float(entry), 4)}" for j, entry in enumerate(neurons.query)]
    label = f"q of {plain_label(neurons.query_token)}"
    strip = strip_svg(titles, colours_of(neurons.query, limit, scale), height=_QUERY_STRIP, label=label)
    name = html.escape(plain_label(neurons.query_token))
    empty = "<td></td>" * len(column_names(neurons))
    return (
        f'<tr class="query"><th scope="row"><bdi>{name}</bdi></th><td class="vector">{strip}</td>{empty}</tr>'
    )


def _row(neurons: Neurons, row: int, name: str, limit: float, palette: Palette) -> str:
    numbers = numbers_of(neurons, row)
    *scores, weight, length = (html.escape(number) for number in numbers)
    kinds = [("focus", row == neurons.key), ("closed", not neurons.allowed[row])]
    kind = " ".join(name for name, holds in kinds if holds)
    button = f'<button type="button" aria-pressed="{str(row == neurons.key).lower()}">'
    cells = "".join(f"<td>{score}</td>" for score in scores)
    return (
        f'<tr class="{kind}" data-row="{row}"><th scope="row">{button}<bdi>{html.escape(name)}</bdi></button>'
        f'</th><td class="vector">{_strip(neurons, row, limit, palette)}</td>{cells}'
        f'<td class="weight" style="--share:{float(neurons.weights[row]):.9g}">{weight}</td>'
        f'<td class="length" style="--share:{_length(neurons, row):.9g}">{length}</td></tr>'
    )


def _length(neurons: Neurons, row: int) -> float:
    """The row's length as a share of the longest."""
    return float(neurons.lengths[row]) / peak(neurons.lengths)


def _strip(neurons: Neurons, row: int, limit: float, palette: Palette) -> str:
    """The products of one key; each cell says its operands where there are few enough of them."""
    products, scale = neurons.products[row], score_scale(palette)
    if neurons.keys.size > _MOST_HOVERS:
        uri = matrix_uri(products[None], limit=limit, scale=scale)
        return f'<img class="strip" src="{uri}" alt=""/>'
    titles = [
        f"dimension {j}: {signed(float(q))} · {signed(float(k))} = {signed(float(product), 4)}"
        for j, (q, k, product) in enumerate(zip(neurons.query, neurons.keys[row], products, strict=True))
    ]
    label = f"{len(products)} products, sum {signed(float(neurons.scores[row]))}"
    return strip_svg(titles, colours_of(products, limit, scale), height=_STRIP, label=label)
