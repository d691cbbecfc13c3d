"""A part of a model in float64, for laws that should hold to the last digit."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

Part = TypeVar("Part")


def widened(part: Part) -> Part:
    """The same part with every learned number in float64.

    A layer, a norm, a stack: whatever is a frozen dataclass, or a tuple, of tensors. What holds no such
    number (a function, ids, a mask rule) is as it was.

    >>> widened((torch.ones(1), torch.tensor([2]), None))
    (tensor([1.], dtype=torch.float64), tensor([2]), None)
    """
    wide: Part = _widened(part)
    return wide


def _widened(part: Any) -> Any:
    if isinstance(part, Tensor):
        return part.to(torch.float64) if part.is_floating_point() else part
    if isinstance(part, tuple):
        return tuple(map(_widened, part))
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{name: _widened(getattr(part, name)) for name in _given(part)})
    return part


def _given(part: Any) -> list[str]:
    return [field.name for field in fields(part) if field.init]
