"""The mask of a view as its controls change it: one rule of a kind, set or taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
from attention.ui import state
from attention.ui.mask_text import Rules, tidy
from attention.ui.view import ViewState

REPLACES_OWN = (Full, Causal, Window, Prefix, Dilated, BlockLocal, Strided, Fixed, Global, Random, Or)
ORDER: tuple[type[MaskRule], ...] = (*REPLACES_OWN, Keys, Cells)


def with_rule(rules: Rules, kind: type[MaskRule], rule: MaskRule | None) -> Rules:
    """The rules with the one of this kind replaced, in a fixed order.

    The model's own mask holds unless a rule that replaces it is there.

    >>> with_rule((Causal(),), Keys, Keys({1}))
    (Causal(), Keys({1}))
    >>> with_rule((Causal(), Keys({1})), Causal, None)
    (Own(), Keys({1}))
    """
    kept = [other for other in rules if type(other) in ORDER and type(other) is not kind]
    kept += [] if rule is None else [rule]
    ordered = tuple(sorted(kept, key=lambda other: ORDER.index(type(other))))
    return ordered if ordered and isinstance(ordered[0], REPLACES_OWN) else tidy((Own(), *ordered))


def held(view: ViewState, kind: type[MaskRule]) -> MaskRule | None:
    """The rule of this kind that a view has."""
    return next((rule for rule in view.mask if isinstance(rule, kind)), None)


def change_of(
    kind: type[MaskRule], make: Callable[[Any], MaskRule | None]
) -> Callable[[Any], Mapping[str, Any]]:
    """From a widget's value to the fields it sets: the mask with the rule that is made of it.

    Args:
        kind: The rule that is replaced.
        make: The new one from the widget's value; None takes it away.
    """
    return lambda value: {"mask": with_rule(state.current().mask, kind, make(value))}
