"""Every step of the layer as numbers: NPZ for NumPy, JSON for everything else."""

import io
import math
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from json import dumps
from typing import Any

import numpy as np

from attention.errors import InputError
from attention.export.view import View, facts, printable

_AXES = "rows are queries, columns keys or entries; where there are three axes the first counts heads"
_MEANING = {
    "mask": "true where the query may attend to the key; one mask for all heads of the layer",
    "masked": "scaled scores; {minus_infinity} where the query may not attend to the key, whose weight is 0",
}
_MINUS_INFINITY = {"npz": "the float -inf", "json": "the string '-inf'"}

MOST_JSON_NUMBERS = 10_000_000
"""About 200 MB of JSON; more belongs into an NPZ."""


def npz(view: View) -> bytes:
    """The arrays as they are, tokens and ids as arrays; their meaning, settings, facts and script as strings.

    ``numpy.load(file, allow_pickle=False)`` reads it.
    """
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **(dict(view.arrays) | _context(view)))
    return file.getvalue()


def json(view: View) -> bytes:
    """The same as strict JSON: what is not finite is a string, "-inf", "inf" or "nan".

    Raises:
        InputError: When there are more than ``MOST_JSON_NUMBERS`` numbers.
    """
    n_numbers = sum(array.size for array in view.arrays.values())
    if n_numbers > MOST_JSON_NUMBERS:
        raise InputError(
            f"this layer has {n_numbers:,} numbers, and JSON is offered up to {MOST_JSON_NUMBERS:,}: take NPZ"
        )
    head = {
        "facts": facts(view),
        "meaning": _meaning(view, "json"),
        "settings": plain(view.settings),
        "script": printable(view.script),
        "tokens": [_token(position, token) for position, token in enumerate(view.tokens)],
    }
    body = ",".join(f"{dumps(name)}:{array_json(array)}" for name, array in view.arrays.items())
    return f'{dumps(head, ensure_ascii=False)[:-1]}, "arrays": {{{body}}}}}\n'.encode()


def plain(value: Any) -> Any:
    """A value in the words of JSON.

    A dataclass becomes its fields; what is inside it and is no number, text or collection (a mask, say)
    becomes the Python that makes it again.

    >>> plain({"heads_off": frozenset({(2, 5), (0, 1)}), "mask": None})
    {'heads_off': [[0, 1], [2, 5]], 'mask': None}
    """
    return _fields(value) if is_dataclass(value) else _plain(value, type(None))


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name), type(value)) for field in fields(value)}


def _plain(value: Any, outer: type) -> Any:
    if isinstance(value, str):
        return printable(value)
    if value is None or isinstance(value, bool | int | float):
        return value if value is None or math.isfinite(value) else repr(value)
    if isinstance(value, outer):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner, outer) for name, inner in value.items()}
    if isinstance(value, Set):
        return [_plain(inner, outer) for inner in sorted(value)]
    if isinstance(value, list | tuple):
        return [_plain(inner, outer) for inner in value]
    return repr(value)


def _meaning(view: View, ext: str) -> dict[str, str]:
    """What cannot be seen from an array: its axes, which way round the mask is, how −∞ is written."""
    said = {name: text for name, text in _MEANING.items() if name in view.arrays}
    filled = {name: text.format(minus_infinity=_MINUS_INFINITY[ext]) for name, text in said.items()}
    return {"axes": _AXES} | filled


def _context(view: View) -> dict[str, Any]:
    return {
        "tokens": np.array([printable(token.text) for token in view.tokens], dtype=np.str_),
        "ids": np.array([token.id for token in view.tokens], dtype=np.int64),
        "settings": np.array(dumps(plain(view.settings), ensure_ascii=False)),
        "facts": np.array(dumps(facts(view), ensure_ascii=False)),
        "meaning": np.array(dumps(_meaning(view, "npz"), ensure_ascii=False)),
        "script": np.array(printable(view.script)),
    }


def _token(position: int, token: Any) -> dict[str, Any]:
    return {
        "position": position,
        "text": printable(token.text),
        "id": token.id,
        "start": token.start,
        "end": token.end,
        "special": token.special,
    }


def array_json(array: np.ndarray) -> str:
    """An array as JSON: dtype, shape and nested values, what is not finite as a string."""
    about = dumps({"dtype": str(array.dtype), "shape": list(array.shape)})
    return f'{about[:-1]}, "values": {_values(array)}}}'


def _values(array: np.ndarray) -> str:
    """Nested lists, written slab by slab: a layer's worth of Python floats at once would take gigabytes."""
    if array.ndim > 2:
        return f"[{','.join(_values(slab) for slab in array)}]"
    return dumps(_finite(array).tolist(), allow_nan=False)


def _finite(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array
    words = array.astype(object)
    words[np.isneginf(array)] = "-inf"
    words[np.isposinf(array)] = "inf"
    words[np.isnan(array)] = "nan"
    return words
