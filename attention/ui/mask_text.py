"""Masks as a link writes them: rules and-ed by +, such as ``own+hide:1.4``, each of them one or several
or-ed by a comma, such as ``window:2:2,global:0``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce

from attention.engine.masks import (
    BlockLocal,
    Causal,
    Cells,
    Dilated,
    Fixed,
    Full,
    Global,
    Keys,
    MaskRule,
    Or,
    Own,
    Prefix,
    Random,
    Strided,
    Window,
)
from attention.errors import InputError

Rules = tuple[MaskRule, ...]
"""Simple rules that all hold; none at all is the model's own mask."""


PLAIN: dict[str, MaskRule] = {"own": Own(), "full": Full(), "causal": Causal()}
EXAMPLES = (
    "window:2:0",
    "prefix:3",
    "dilated:2:2",
    "blocks:4",
    "global:0",
    "window:1:1,random:2:12:0",
    "strided:4",
    "fixed:4:1",
    "hide:1.4",
    "block:0-3.0-4",
)
"""One of each rule that has numbers; a random link is drawn outside the rules before its comma."""

MOST_RULES = 16
MOST_NUMBER = 999_999


def conjunction(rules: Rules) -> MaskRule:
    """One rule out of several that all hold."""
    return reduce(lambda left, right: left & right, rules) if rules else Own()


def parse_mask(text: str) -> Rules:
    """The rules that a link names.

    >>> parse_mask("causal+hide:1.4")
    (Causal(), Keys({1, 4}))
    >>> parse_mask("causal+window:2:2,global:0")
    (Causal(), (Window(before=2, after=2) | Global({0})))

    Raises:
        InputError: A rule is unknown or its numbers are wrong.
    """
    parts = text.replace(" ", "+").split("+")  # an unescaped + arrives as a space
    n_rules = sum(len(part.split(",")) for part in parts)
    if n_rules > MOST_RULES:
        raise InputError(f"it has {n_rules} rules; at most {MOST_RULES} are read")
    return tidy(tuple(_alternatives(part) for part in parts))


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
    pairs = [part.partition("-") for part in text.split(".")]
    if not all(dash for _, dash, _ in pairs):
        raise InputError(f"“{text[:24]}” is no list of pairs such as 2-5.3-1")
    return frozenset((whole(first), whole(second)) for first, _, second in pairs)


def format_pairs(pairs: Iterable[tuple[int, int]]) -> str:
    """The same as a link writes it.

    >>> format_pairs({(3, 1), (2, 5)})
    '2-5.3-1'
    """
    return ".".join(f"{first}-{second}" for first, second in sorted(pairs))


def whole(text: str, bounds: tuple[int, int] | None = None) -> int:
    """A whole number.

    Args:
        text: As a link writes it.
        bounds: The least and the most it may be, where that is known; else it is from 0 to ``MOST_NUMBER``,
            which is out of all reach and not worth a word.

    Raises:
        InputError: Anything else.
    """
    least, most = bounds or (0, MOST_NUMBER)
    range_told = f" from {least:,} to {most:,}" if bounds else " from 0 up"
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"“{text[:24]}” is no whole number{range_told}")
    if len(text.lstrip("0")) > len(str(most)) or not least <= int(text) <= most:
        raise InputError(f"{text[:24]} is {f'not{range_told}' if bounds else 'too large'}")
    return int(text)


def _alternatives(part: str) -> MaskRule:
    """One rule, or several of which one has to allow; random links are drawn outside those before them."""
    made: MaskRule | None = None
    for text in part.split(","):
        rule = _rule(text)
        if isinstance(rule, Random):
            rule = replace(rule, beside=made)
        made = rule if made is None else made | rule
    return Own() if made is None else made


def _rule(part: str) -> MaskRule:
    name, _, rest = part.partition(":")
    if name in PLAIN and not rest:
        return PLAIN[name]
    with_numbers: dict[str, Callable[[str], MaskRule]] = {
        "window": lambda text: Window(*_wholes(text, 2)),
        "prefix": lambda text: Prefix(whole(text)),
        "dilated": lambda text: Dilated(*_wholes(text, 2)),
        "global": lambda text: Global(parse_indices(text)),
        "random": _random,
        "blocks": lambda text: BlockLocal(whole(text)),
        "strided": lambda text: Strided(whole(text)),
        "fixed": lambda text: Fixed(*_wholes(text, 2)),
        "hide": lambda text: Keys(parse_indices(text)),
        "block": lambda text: Cells(parse_pairs(text)),
    }
    if name not in with_numbers or not rest:
        raise InputError(f"“{part[:24]}” is no mask; known: {', '.join((*PLAIN, *EXAMPLES))}")
    return with_numbers[name](rest)


def _random(text: str) -> Random:
    links, n_keys, seed = _wholes(text, 3)
    return Random(links, n_keys, seed)


def _wholes(text: str, count: int) -> tuple[int, ...]:
    """So many whole numbers between colons."""
    numbers = text.split(":")
    if len(numbers) > count:
        raise InputError(f"“{text[:24]}” has {len(numbers)} numbers; {count} are read")
    return tuple(whole(number) for number in (*numbers, *[""] * (count - len(numbers))))


def _text(rule: MaskRule) -> str:
    match rule:
        case Or(left, right):
            return f"{_text(left)},{_text(right)}"
        case Window(one, other) | Dilated(one, other) | Fixed(one, other):
            return f"{_name(rule)}:{one}:{other}"
        case Prefix(n) | BlockLocal(n) | Strided(n):
            return f"{_name(rule)}:{n}"
        case Random(links, n_keys, seed):
            return f"random:{links}:{n_keys}:{seed}"
        case Keys(hidden=named) | Global(tokens=named):
            return f"{_name(rule)}:" + ".".join(map(str, sorted(named)))
        case Cells(blocked=blocked):
            return f"block:{format_pairs(blocked)}"
    return _name(rule)


def _name(rule: MaskRule) -> str:
    """What a link calls it: its own name, for most."""
    return {Keys: "hide", BlockLocal: "blocks"}.get(type(rule), type(rule).__name__.lower())
