"""Numbers that all sessions share, kept from being changed by one of them."""

from __future__ import annotations

from typing import Any, TypeVar

from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def fixed(array: Array) -> Array:
    """The same array, no longer to be written through; a tensor it was made from is left as it is."""
    array.setflags(write=False)
    return array
