"""A matrix as a table: its name, and what stands beside its rows and above its columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention.figures.strips import Floats


@dataclass(frozen=True, eq=False)
class NamedMatrix:
    """Numbers to be read, not looked at: never pooled."""

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Floats
