"""What one head did, step by step, as plain arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.figures.strips import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadArrays:
    """What one head did, step by step. Rows are queries, or keys where the name says so.

    Of a long text only a strip of queries is held, against all keys; ``row`` leads from a query's place in
    the text to its row here.
    """

    input: Floats  # [query d_model]
    memory: Floats | None = None  # [key d_model]: what keys and values are made of, where it is not the input
    queries: Floats  # [query d_head]
    keys: Floats  # [key d_head]
    values: Floats  # [key d_value]
    scores: Floats  # [query key]
    scaled: Floats  # [query key]
    masked: Floats  # [query key], −∞ where not allowed
    weights: Floats  # [query key]
    head_output: Floats  # [query d_value]
    allowed: NDArray[np.bool_]  # [query key]
    contribution: Floats | None = None  # [query d_model]: the head's part of the layer's output, through W_O
    first_query: int = 0  # place of the first query that is held
    n_queries: int = 0  # queries in all; 0 where all of them are held

    def __post_init__(self) -> None:
        """Count the queries where nobody has."""
        object.__setattr__(self, "n_queries", self.n_queries or len(self.weights))

    @property
    def held(self) -> range:
        """Places of the queries that are held."""
        return range(self.first_query, self.first_query + len(self.weights))

    def row(self, query: int) -> int:
        """Where a query's row is in these arrays."""
        return query - self.first_query


@dataclass(frozen=True, eq=False, kw_only=True)
class BetweenStep:
    """A step some families take between scaling and masking: a soft cap, a bias."""

    name: str
    formula: str
    sentence: str
    scores: Floats  # [query key]
