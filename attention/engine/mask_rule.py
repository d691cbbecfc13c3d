"""What a mask rule is, and how two of them make a third."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention.errors import InputError


class MaskRule(ABC):
    """A rule that says which keys each query may attend to. Rules combine with ``&`` and ``|``."""

    @abstractmethod
    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """May these queries attend to these keys?

        Args:
            queries: Positions of the queries, counted from 0.
            keys: Positions of the keys.
        """

    def resolve(self, own: MaskRule) -> MaskRule:
        """The same rule with the model's own mask put where ``Own()`` stands."""
        return self

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """The queries and the keys that the rule names one by one."""
        return frozenset(), frozenset()

    def check(self, n_queries: int, n_keys: int) -> None:
        """Refuse named positions that the sequence does not have.

        Raises:
            InputError: A position lies outside the sequence.
        """
        queries, keys = self.named()
        _inside("query", queries, n_queries)
        _inside("key", keys, n_keys)

    def __and__(self, other: MaskRule) -> MaskRule:
        return And(self, other)

    def __or__(self, other: MaskRule) -> MaskRule:
        return Or(self, other)


@dataclass(frozen=True)
class Full(MaskRule):
    """Every query may attend to every key."""

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True everywhere."""
        return torch.ones(len(queries), len(keys), dtype=torch.bool, device=queries.device)


@dataclass(frozen=True)
class Pair(MaskRule):
    """Two rules taken together; what And and Or share."""

    left: MaskRule
    right: MaskRule

    def named(self) -> tuple[frozenset[int], frozenset[int]]:
        """What either side names."""
        (left_queries, left_keys), (right_queries, right_keys) = self.left.named(), self.right.named()
        return left_queries | right_queries, left_keys | right_keys


@dataclass(frozen=True, repr=False)
class And(Pair):
    """Allowed where both rules allow."""

    def __repr__(self) -> str:
        return f"({self.left!r} & {self.right!r})"

    def resolve(self, own: MaskRule) -> MaskRule:
        """Both sides resolved; a full side drops out, so that the kernel can still go by flag."""
        left, right = self.left.resolve(own), self.right.resolve(own)
        if left == Full():
            return right
        return left if right == Full() else And(left, right)

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True where both are."""
        return self.left.allows(queries, keys) & self.right.allows(queries, keys)


@dataclass(frozen=True, repr=False)
class Or(Pair):
    """Allowed where either rule allows."""

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"

    def resolve(self, own: MaskRule) -> MaskRule:
        """Both sides resolved."""
        return Or(self.left.resolve(own), self.right.resolve(own))

    def allows(self, queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]) -> Bool[Tensor, "query key"]:
        """True where either is."""
        return self.left.allows(queries, keys) | self.right.allows(queries, keys)


def dense(rule: MaskRule, n_queries: int, n_keys: int | None = None) -> Bool[Tensor, "query key"]:
    """The whole matrix of a rule; for pictures and small sequences."""
    keys = n_queries if n_keys is None else n_keys
    return rule.allows(torch.arange(n_queries), torch.arange(keys))


def _inside(axis: str, positions: Iterable[int], n: int) -> None:
    for position in sorted(positions):
        if not 0 <= position < n:
            raise InputError(
                f"The mask names {axis} {position}, but the sequence has {n} positions (0–{n - 1})."
            )


def whole(what: str, given: Iterable[int], count: int | None = None) -> tuple[int, ...]:
    """What counts tokens or names places, as Python's own whole numbers.

    Args:
        what: What they belong to, for the message.
        given: The numbers; numpy's and torch's are taken too.
        count: How many there must be; None takes any number of them.

    Raises:
        InputError: One is no whole number, or there are more or fewer.
    """
    try:
        numbers = tuple(int(operator.index(number)) for number in given)
    except TypeError:
        raise InputError(f"{what} takes whole numbers, not {given!r}.") from None
    if count is not None and len(numbers) != count:
        raise InputError(f"{what} takes {count} whole numbers, not {given!r}.")
    return numbers


def freeze(rule: MaskRule, what: str, least: int, **numbers: int) -> None:
    """Put whole numbers into a frozen rule; for ``__post_init__``.

    Args:
        rule: The rule that is being made.
        what: Its name, for the message.
        least: The smallest that each of them may be.
        numbers: Field names and what was given for them.

    Raises:
        InputError: One is no whole number, or below the least.
    """
    given = whole(what, numbers.values())
    for name, number in zip(numbers, given, strict=True):
        if number < least:
            raise InputError(f"{what} takes {name} from {least} up; got {number}.")
        object.__setattr__(rule, name, number)


def braces(items: Iterable[object]) -> str:
    """A set as Python writes it, in order."""
    inside = ", ".join(repr(item) for item in sorted(items))  # type: ignore[type-var]
    return "{" + inside + "}" if inside else "()"
