"""The steps of one head in order: each its matrices, its formula, the number of the pair in focus."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention.figures.head_arrays import BetweenStep, HeadArrays
from attention.figures.numbers import percent, share, signed
from attention.figures.strip_look import Look, Rows
from attention.figures.strips import Floats, group_size, peak, short, strongest

__all__ = ["BetweenStep", "HeadArrays", "Look", "Matrix", "Step", "steps_of"]

SENTENCES = {
    "Input": "What the head’s three projections really see: one vector per token, the same for every head of "
    "the layer.",
    "Input and memory": "Queries are made of X, the decoder’s own vectors; keys and values are made of M, "
    "what the encoder made of the source.",
    "Queries, keys, values": "One set of learned numbers, used at every position, makes a query, a key and a "
    "value of each vector.",
    "Scores": "Each query with each key, multiplied dimension by dimension and added up. A score can be "
    "negative and has no upper limit.",
    "Scaled": "The same scores on another scale: their order stays, and the smaller they are, the more "
    "evenly softmax will share.",
    "Masked": "Pairs that are not allowed become −∞; all others stay as they are.",
    "Weights": "Softmax turns each row into shares: none is negative, together they are 1, and what was −∞ "
    "is exactly 0.",
    "Weighted sum": "Each query takes away the values of all keys, each times its weight, added together.",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Matrix:
    """One matrix of the strip, already pooled and cut to the window."""

    values: Floats
    limit: float  # the value at the end of the colour scale
    role: Literal["query", "key", "value", "output", "ink"] = "ink"
    ramp: Literal["weights", "scores", "query", "key", "value", "output", "ink"] = "scores"
    label: str = ""
    rows: Rows = "query"
    width: int | None = None  # pixels; None for query × key, which is as wide as its cells
    dims: int = 0  # columns before pooling
    group: int = 1  # columns in one cell
    hatched: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """One step: what stands over, in and under its matrices."""

    name: str
    formula: str
    shape: str
    sentence: str
    matrices: tuple[Matrix, ...]
    role: str = "ink"
    value: str = ""
    value_role: str = "ink"
    value_says: str = ""  # what the number is, where it is not the cell's


def steps_of(
    look: Look,
    scale_text: str,
    between: Sequence[BetweenStep],
    weights_limit: float,
    share_of_layer: float | None = None,
    projection_text: str = "XW + b",
    then: Sequence[str] = (),
) -> tuple[Step, ...]:
    """All steps in order."""
    return (
        _input(look),
        _projections(look, projection_text, then),
        *_scores(look, scale_text, between),
        _weights(look, weights_limit),
        _output(look, share_of_layer),
    )


def _size(values: NDArray[Any]) -> str:
    return f"{values.shape[0]} × {values.shape[1]}"


def _vectors(look: Look, values: Floats, most: int, like: Matrix) -> Matrix:
    """A matrix of vectors at most `most` cells wide. Its colours reach to its largest entry anywhere."""
    pooled, n = strongest(values, most), values.shape[1]
    shown = look.rows(pooled, like.rows)
    return replace(like, values=shown, limit=like.limit or peak(pooled), dims=n, group=group_size(n, most))


def _blank(**choices: Any) -> Matrix:
    return Matrix(values=np.empty((0, 0)), limit=0.0, **choices)


def _input(look: Look) -> Step:
    values, memory = look.arrays.input, look.arrays.memory
    matrices, sizes = [_vectors(look, values, 48, _stream(values))], [look.size(values)]
    if memory is not None:
        like = replace(_stream(memory), label="M", rows="key")
        matrices = [replace(matrices[0], label="X"), _vectors(look, memory, 48, like)]
        sizes.append(_size(memory))
    return Step(
        name="Input",
        formula="X" if memory is None else "X, M",
        shape=", ".join(sizes),
        sentence=SENTENCES["Input" if memory is None else "Input and memory"],
        matrices=tuple(matrices),
    )


def _stream(values: Floats) -> Matrix:
    """One outlying dimension, as in BERT's [CLS], would leave all others without colour."""
    return replace(
        _blank(ramp="ink", width=60), limit=float(np.quantile(np.abs(strongest(values, 48)), 0.99))
    )


def _projections(look: Look, formula: str, then: Sequence[str]) -> Step:
    arrays, name = look.arrays, "Queries, keys, values"
    sizes = [look.size(arrays.queries), _size(arrays.keys), _size(arrays.values)]
    q = _blank(role="query", ramp="query", label="Q", width=54)
    k = _blank(role="key", ramp="key", label="K", width=54, rows="key")
    v = _blank(role="value", ramp="value", label="V", width=54, rows="key")
    return Step(
        name=name,
        formula=f"{formula}, Q and K {', '.join(then)}" if then else formula,
        shape=f"three of {sizes[0]}" if len(set(sizes)) == 1 else ", ".join(sizes),
        sentence=SENTENCES[name] + _only_queries_and_keys(then),
        matrices=(
            _vectors(look, arrays.queries, 54, q),
            _vectors(look, arrays.keys, 54, k),
            _vectors(look, arrays.values, 54, v),
        ),
    )


def _only_queries_and_keys(then: Sequence[str]) -> str:
    """What happens to queries and keys before they meet, and to no value."""
    return f" Queries and keys are then {' and '.join(then)}, values are not." if then else ""


def _scores(look: Look, scale_text: str, between: Sequence[BetweenStep]) -> tuple[Step, ...]:
    arrays, scaled = look.arrays, f"S {scale_text}"
    return (
        _score_step(look, arrays.scores, "Scores", "S = QKᵀ", SENTENCES["Scores"]),
        _score_step(look, arrays.scaled, "Scaled", scaled, SENTENCES["Scaled"]),
        *(_score_step(look, step.scores, step.name, step.formula, step.sentence) for step in between),
        _masked(look, "S′ + M" if between else f"{scaled} + M"),
    )


def _score_step(look: Look, values: Floats, name: str, formula: str, sentence: str) -> Step:
    limit = peak(values)
    return Step(
        name=name,
        formula=formula,
        shape=f"{look.size(values)}  ·  ±{short(limit)}",
        sentence=sentence,
        value=signed(look.at(values)),
        matrices=(Matrix(values=look.square(values), limit=limit),),
    )


def _masked(look: Look, formula: str) -> Step:
    values = look.arrays.masked
    return Step(
        name="Masked",
        formula=formula,
        shape=_closed_cells(look),
        sentence=SENTENCES["Masked"],
        value=signed(look.at(values)) if look.open else "−∞",
        value_role="ink" if look.open else "masked",
        matrices=(Matrix(values=look.square(values), limit=peak(values), hatched=True),),
    )


def _closed_cells(look: Look) -> str:
    """How many cells are masked; of a long text, among those that are shown."""
    arrays = look.arrays
    if len(arrays.held) < arrays.n_queries:
        return f"{int((~look.square(arrays.allowed)).sum())} shown at −∞"
    closed = int((~arrays.allowed).sum())
    return f"{closed} cell{'s' * (closed != 1)} at −∞" if closed else "nothing masked"


def _weights(look: Look, limit: float) -> Step:
    values = look.arrays.weights
    value = share(look.at(values)) if look.open else "0"
    return Step(
        name="Weights",
        formula="A = softmax",
        shape=f"by row  ·  0 to {limit:.2g}",
        sentence=SENTENCES["Weights"],
        value="sees nothing" if look.blind else value,
        value_role="primary" if look.open else "masked",
        matrices=(Matrix(values=look.square(values), limit=limit, ramp="weights", hatched=True),),
    )


def _output(look: Look, of_layer: float | None) -> Step:
    arrays, name = look.arrays, "Weighted sum"
    value, says = _share_words(of_layer)
    z = _blank(role="output", ramp="output", width=84)
    matrices: tuple[Matrix, ...] = (_vectors(look, arrays.head_output, 84, z),)
    if arrays.contribution is not None:
        through = replace(z, width=60, label="ZWᴼ")
        matrices = (replace(matrices[0], label="Z"), _vectors(look, arrays.contribution, 48, through))
    return Step(
        name=name,
        formula="Z = AV",
        shape=look.size(arrays.head_output),
        sentence=f"{SENTENCES[name]} {says}".rstrip(),
        role="output",
        value=value,
        value_role="output",
        value_says=says,
        matrices=matrices,
    )


def _share_words(of_layer: float | None) -> tuple[str, str]:
    """The number under the last step, which is no cell's, and what it is."""
    if of_layer is None:
        return "", ""
    if math.isnan(of_layer):
        return "no share", "No share: this layer’s attention adds nothing to the query’s vector."
    number = percent(of_layer)
    return f"{number} of the layer", (
        f"{number}: this head’s share of what the layer’s attention adds to the query’s vector, its part "
        "measured along the whole. Below 0 it points the other way."
    )
