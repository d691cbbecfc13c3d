"""What one head did, step by step, as plain arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.figures.strips import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadArrays:
    """What one head did, step by step. Rows are queries, or keys where the name says so."""

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


@dataclass(frozen=True, eq=False, kw_only=True)
class BetweenStep:
    """A step some families take between scaling and masking: a soft cap, a bias."""

    name: str
    formula: str
    sentence: str
    scores: Floats  # [query key]
