"""One head's steps as a row of small matrices of one row height.

The query's row is one line from its vector to the mix it takes away. Everything that needs no width of a
screen is decided here and in `strip_steps`: which part of a long sequence is shown, how far colours reach,
what stands under each matrix. `attention/ui/components/step_strip.js` draws it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.labels import plain_label
from attention.figures.named_matrix import NamedMatrix
from attention.figures.strip_numbers import numbers_of
from attention.figures.strip_steps import BetweenStep, HeadArrays, Look, Matrix, Step, steps_of
from attention.figures.strips import colours
from attention.figures.theme import Palette, Scale, lut, role_scale, score_scale, weight_scale

__all__ = ["BetweenStep", "HeadArrays", "StepStrip", "step_strip", "window_note"]

MOST_ROWS = 64
"""With more positions than this on a side, only a window of them is shown."""

WINDOW = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class StepStrip:
    """A strip ready to be sent: JSON-ready words in `header`, float32 and uint8 matrices in `arrays`.

    `numbers` are the same steps for a table, as wide as they are.
    """

    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    numbers: tuple[NamedMatrix, ...]


def step_strip(
    arrays: HeadArrays,
    *,
    tokens: Sequence[str],
    query: int,
    key: int,
    palette: Palette,
    key_tokens: Sequence[str] | None = None,
    scale_text: str = "÷ √d",
    between: Sequence[BetweenStep] = (),
    weights_limit: float = 1.0,
    share_of_layer: float | None = None,
    projection_text: str = "XW + b",
    then: Sequence[str] = (),
    off: bool = False,
) -> StepStrip:
    """The strip for one head and the pair in focus.

    Args:
        arrays: The head's steps; of a long sequence for the queries round the one in focus.
        tokens: Raw tokens of the queries.
        query: The query in focus.
        key: The key in focus.
        palette: The theme.
        key_tokens: Raw tokens of the keys, where they are others than the queries'.
        scale_text: What scaling does, such as "÷ √32".
        between: Steps between scaling and masking, in order.
        weights_limit: The weight at the end of the colour scale.
        share_of_layer: The head's share of what the layer adds for the query; NaN where that is nothing.
        projection_text: What makes queries, keys and values, such as "XW + b".
        then: What is done to queries and keys alone before they meet, such as ("turned",).
        off: Whether the head is switched off: its output is zero, whatever its weights and values are.
    """
    n_queries, n_keys = arrays.n_queries, arrays.scores.shape[1]
    look = Look(arrays, _window(n_queries, query), _window(n_keys, key), query, key)
    steps = steps_of(look, scale_text, between, weights_limit, share_of_layer, projection_text, then)
    key_tokens = tokens if key_tokens is None else key_tokens
    if off:
        steps = (*steps[:-1], _switched_off(steps[-1]))
    header = {
        "palette": colours(palette),
        "ramps": _ramps(palette),
        "steps": _words(steps),
        **_positions(look, tokens, key_tokens),
    }
    numbers = numbers_of(look, between, tokens, key_tokens)
    return StepStrip(header=header, arrays=_payload(steps, look), numbers=numbers)


def window_note(queries: range, n_queries: int, keys: range, n_keys: int) -> str:
    """Which part of a long sequence is shown; nothing when all of it is.

    >>> window_note(range(30, 70), 200, range(80, 120), 200)
    'queries 30–69 and keys 80–119 of 200'
    >>> window_note(range(10), 10, range(80, 120), 1500)
    'keys 80–119 of 1500'
    """
    parts = [
        (f"{name} {shown[0]}–{shown[-1]}", n)
        for name, shown, n in (("queries", queries, n_queries), ("keys", keys, n_keys))
        if len(shown) < n
    ]
    if len({n for _, n in parts}) == 1:
        return " and ".join(text for text, _ in parts) + f" of {parts[0][1]}"
    return " and ".join(f"{text} of {n}" for text, n in parts)


def _switched_off(step: Step) -> Step:
    """The weighted sum of a head whose output is multiplied by zero."""
    sentence = f"{step.sentence} This head is off: its sum is multiplied by 0 before W_O."
    return replace(step, formula="Z = 0 · AV", shape=f"{step.shape}  ·  head off", sentence=sentence)


def _window(n: int, centre: int) -> range:
    if n <= MOST_ROWS:
        return range(n)
    start = min(max(centre - WINDOW // 2, 0), n - WINDOW)
    return range(start, start + WINDOW)


def scales(palette: Palette) -> dict[str, Scale]:
    """The colour scale that each matrix names as its ramp."""
    return {
        "weights": weight_scale(palette),
        "scores": score_scale(palette),
        "ink": role_scale(palette, "ink"),
        "query": role_scale(palette, "query"),
        "key": role_scale(palette, "key"),
        "value": role_scale(palette, "value"),
        "output": role_scale(palette, "output"),
    }


@lru_cache(maxsize=2)
def _ramps(palette: Palette) -> Mapping[str, str]:
    """The same scales as the script reads them: 256 colours in hex, without separators."""
    return {name: "".join(lut(scale)).replace("#", "") for name, scale in scales(palette).items()}


def _positions(look: Look, tokens: Sequence[str], key_tokens: Sequence[str]) -> dict[str, Any]:
    n_queries, n_keys = look.arrays.n_queries, look.arrays.scores.shape[1]
    return {
        "query": look.query,
        "key": look.key,
        "n_queries": n_queries,
        "n_keys": n_keys,
        "two_sequences": look.arrays.memory is not None,
        "first_query": look.queries.start,
        "first_key": look.keys.start,
        "query_labels": [plain_label(tokens[row]) for row in look.queries],
        "key_labels": [plain_label(key_tokens[row]) for row in look.keys],
        "sightless": [at for at in look.queries if not look.arrays.allowed[look.arrays.row(at)].any()],
        "note": window_note(look.queries, n_queries, look.keys, n_keys),
    }


def _words(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Everything about the steps that is not a matrix; `array` names the matrix in the payload."""
    words, index = [], 0
    for number, step in enumerate(steps, start=1):
        entry: dict[str, Any] = {
            "number": number,
            "name": step.name,
            "formula": step.formula,
            "shape": step.shape,
            "sentence": step.sentence,
            "role": step.role,
            "value": step.value,
            "value_role": step.value_role,
            "value_says": step.value_says,
            "matrices": [],
        }
        for matrix in step.matrices:
            entry["matrices"].append(_matrix_words(matrix, f"matrix{index}"))
            index += 1
        words.append(entry)
    return words


def _matrix_words(matrix: Matrix, array: str) -> dict[str, Any]:
    return {
        "array": array,
        "label": matrix.label,
        "role": matrix.role,
        "ramp": matrix.ramp,
        "signed": matrix.ramp != "weights",
        "limit": matrix.limit,
        "rows": matrix.rows,
        "width": matrix.width,
        "dims": matrix.dims,
        "group": matrix.group,
        "hatched": matrix.hatched,
    }


def _payload(steps: Sequence[Step], look: Look) -> dict[str, NDArray[Any]]:
    matrices = [matrix for step in steps for matrix in step.matrices]
    payload: dict[str, NDArray[Any]] = {
        f"matrix{index}": np.ascontiguousarray(matrix.values, dtype=np.float32)
        for index, matrix in enumerate(matrices)
    }
    return payload | {"allowed": np.ascontiguousarray(look.square(look.arrays.allowed), dtype=np.uint8)}
