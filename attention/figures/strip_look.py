"""Which part of a head's steps is shown, and the pair in focus."""

from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from attention.figures.head_arrays import HeadArrays

Rows = Literal["query", "key"]


@dataclass(frozen=True, eq=False)
class Look:
    """A head's arrays, the part of them that is shown, and the pair in focus."""

    arrays: HeadArrays
    queries: range
    keys: range
    query: int
    key: int

    def rows(self, values: NDArray[Any], of: Rows = "query") -> NDArray[Any]:
        """The shown rows of a matrix."""
        if of == "key":
            return values[self.keys.start : self.keys.stop]
        return values[self.arrays.row(self.queries.start) : self.arrays.row(self.queries.stop)]

    def square(self, values: NDArray[Any]) -> NDArray[Any]:
        """The shown part of a query × key matrix."""
        return self.rows(values)[:, self.keys.start : self.keys.stop]

    def at(self, values: NDArray[Any]) -> float:
        """The number of the pair in focus."""
        return float(values[self.arrays.row(self.query), self.key])

    def size(self, values: NDArray[Any]) -> str:
        """Sizes of a matrix with a row for each query, held or not."""
        return f"{self.arrays.n_queries} × {values.shape[1]}"

    @property
    def open(self) -> bool:
        """Whether the query in focus may look at the key in focus."""
        return bool(self.arrays.allowed[self.arrays.row(self.query), self.key])

    @property
    def blind(self) -> bool:
        """Whether the query in focus may look at nothing at all."""
        return not self.arrays.allowed[self.arrays.row(self.query)].any()
