"""Masks as a link writes them: rules and-ed by +, such as ``own+hide:1.4``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from attention.engine.masks import Causal, Cells, Full, Keys, MaskRule, Own, Prefix, Window
from attention.errors import InputError

Rules = tuple[MaskRule, ...]
"""Simple rules that all hold; none at all is the model's own mask."""


MOST_RULES = 16
MOST_NUMBER = 999_999


def conjunction(rules: Rules) -> MaskRule:
    """One rule out of several that all hold."""
    return reduce(lambda left, right: left & right, rules) if rules else Own()


def parse_mask(text: str) -> Rules:
    """The rules that a link names.

    >>> parse_mask("causal+hide:1.4")
    (Causal(), Keys({1, 4}))

    Raises:
        InputError: A rule is unknown or its numbers are wrong.
    """
    parts = text.replace(" ", "+").split("+")  # an unescaped + arrives as a space
    if len(parts) > MOST_RULES:
        raise InputError(f"it has {len(parts)} rules; at most {MOST_RULES} are read")
    return tidy(tuple(_rule(part) for part in parts))


def tidy(rules: Rules) -> Rules:
    """The same rules, each once; the model's own mask alone is no rule at all.

    >>> tidy((Own(), Own())), tidy((Own(), Keys({1}), Own()))
    ((), (Own(), Keys({1})))
    """
    once = tuple(dict.fromkeys(rules))
    return () if once == (Own(),) else once


def format_mask(rules: Rules) -> str:
    """The same as a link writes it.

    >>> format_mask((Own(), Window(2, 0), Cells({(0, 3), (0, 4)})))
    'own+window:2:0+block:0-3.0-4'
    """
    return "+".join(_text(rule) for rule in rules) or "own"


def parse_indices(text: str) -> frozenset[int]:
    """Indices and runs of them: ``0.3-5`` is 0, 3, 4 and 5.

    Raises:
        InputError: Something that is no index, or a run that goes backwards or beyond 4,096.
    """
    found: set[int] = set()
    for part in text.split("."):
        first, _, last = part.partition("-")
        start, stop = whole(first), whole(last or first)
        if not start <= stop <= 4096:
            raise InputError(f"“{part}” is no run of indices")
        found.update(range(start, stop + 1))
    return frozenset(found)


def format_indices(indices: Iterable[int]) -> str:
    """The same as a link writes it.

    >>> format_indices({0, 3, 4, 5})
    '0.3-5'
    """
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ".".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def parse_pairs(text: str) -> frozenset[tuple[int, int]]:
    """Pairs of indices: ``2-5.3-1`` is (2, 5) and (3, 1).

    Raises:
        InputError: Something that is no pair.
    """
    pairs = (part.partition("-") for part in text.split("."))
    return frozenset((whole(first), whole(second)) for first, _, second in pairs)


def format_pairs(pairs: Iterable[tuple[int, int]]) -> str:
    """The same as a link writes it.

    >>> format_pairs({(3, 1), (2, 5)})
    '2-5.3-1'
    """
    return ".".join(f"{first}-{second}" for first, second in sorted(pairs))


def whole(text: str) -> int:
    """A whole number from 0 to ``MOST_NUMBER``.

    Raises:
        InputError: Anything else.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise InputError(f"“{text[:24]}” is no whole number from 0 to {MOST_NUMBER}")
    return int(text)


def _rule(part: str) -> MaskRule:
    name, _, rest = part.partition(":")
    plain: dict[str, MaskRule] = {"own": Own(), "full": Full(), "causal": Causal()}
    if name in plain and not rest:
        return plain[name]
    with_numbers: dict[str, Callable[[str], MaskRule]] = {
        "window": _window,
        "prefix": lambda text: Prefix(whole(text)),
        "hide": lambda text: Keys(parse_indices(text)),
        "block": lambda text: Cells(parse_pairs(text)),
    }
    if name not in with_numbers or not rest:
        known = ", ".join((*plain, "window:2:0", "prefix:3", "hide:1.4", "block:0-3.0-4"))
        raise InputError(f"“{part[:24]}” is no mask; known: {known}")
    return with_numbers[name](rest)


def _window(text: str) -> Window:
    before, _, after = text.partition(":")
    return Window(whole(before), whole(after))


def _text(rule: MaskRule) -> str:
    match rule:
        case Window(before, after):
            return f"window:{before}:{after}"
        case Prefix(n):
            return f"prefix:{n}"
        case Keys(hidden=hidden):
            return "hide:" + ".".join(map(str, sorted(hidden)))
        case Cells(blocked=blocked):
            return f"block:{format_pairs(blocked)}"
    return type(rule).__name__.lower()
