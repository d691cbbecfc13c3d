"""The one place where nats become bits: entropy is reckoned in nats and shown in bits, everywhere."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Nats = TypeVar("Nats", float, NDArray[np.floating[Any]], Tensor)

_NATS_PER_BIT = math.log(2)


def in_bits(nats: Nats) -> Nats:
    """An entropy, or several, with log₂ for ln: 1 bit is the entropy of two keys alike.

    >>> in_bits(math.log(16))
    4.0
    """
    return nats / _NATS_PER_BIT
