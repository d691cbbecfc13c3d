"""How a GGUF file stretches rotary positions, in the words of a transformers config.

Llama 3 is the awkward one: its file gives no rule, only what the rule makes, a divisor for every frequency
(`rope_freqs.weight`). The rule's numbers are read back from those divisors, and held against all of them.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.checkpoints.gguf_facts import Facts
from attention.checkpoints.gguf_values import values
from attention.errors import CheckpointError

DIVISORS = "rope_freqs.weight"
UNKNOWN = ("rope_factors_long.weight", "rope_factors_short.weight")

# The numbers that every Llama 3.1, 3.2 and 3.3 was trained with; only the factor differs among them.
_LOW, _HIGH, _ORIGINAL = 1.0, 4.0, 8192


def rope_scaling(facts: Facts, base: float, d_head: int) -> dict[str, Any] | None:
    """What transformers calls `rope_scaling`; None where positions are used as they are.

    Raises:
        CheckpointError: The file stretches them in a way that is not known here.
    """
    for name in UNKNOWN:
        if name in facts.header.tensors:
            raise CheckpointError(
                f"{facts.header.path} has {name}: this way of stretching is not known here."
            )
    if DIVISORS in facts.header.tensors:
        return _llama3(facts, base, d_head)
    kind = facts.text("rope.scaling.type", "none")
    if kind == "none" and facts.has("rope.scale_linear"):  # what files said before 2024
        return {"rope_type": "linear", "factor": facts.number("rope.scale_linear")}
    if kind == "none":
        return None
    if kind not in ("linear", "yarn"):
        facts.refuse("rope.scaling.type", kind, "known here: none, linear, yarn")
    return {"rope_type": kind, "factor": facts.number("rope.scaling.factor"), **_original(facts, kind)}


def _original(facts: Facts, kind: str) -> dict[str, Any]:
    if kind == "linear" or not facts.has("rope.scaling.original_context_length"):
        return {}
    return {"original_max_position_embeddings": facts.size("rope.scaling.original_context_length")}


def _llama3(facts: Facts, base: float, d_head: int) -> dict[str, Any]:
    header = facts.header
    found = values(header, header.tensors[DIVISORS]).reshape(-1)
    factor = float(found.max())
    alike = found.size == d_head // 2 and factor >= 1
    if not alike or not np.allclose(found, llama3_divisors(factor, base, d_head), rtol=1e-4, atol=0):
        raise CheckpointError(
            f"{header.path}: {DIVISORS} has {found.size} divisors up to {factor:g}, not those of a Llama 3 "
            f"with {d_head // 2} frequencies, the only ones known here."
        )
    return {
        "rope_type": "llama3",
        "factor": factor,
        "low_freq_factor": _LOW,
        "high_freq_factor": _HIGH,
        "original_max_position_embeddings": _ORIGINAL,
    }


def llama3_divisors(factor: float, base: float, d_head: int) -> NDArray[np.float64]:
    """What Llama 3 divides each frequency by: slow ones by the factor, quick ones by 1, between them a blend.

    As `_compute_llama3_parameters` of transformers has it.

    >>> llama3_divisors(32.0, 500_000.0, 8).round(3)
    array([ 1.   ,  1.   ,  3.292, 32.   ])
    """
    frequency = base ** -(np.arange(0, d_head, 2) / d_head)
    turns = _ORIGINAL * frequency / (2 * math.pi)
    blend = np.clip((turns - _LOW) / (_HIGH - _LOW), 0.0, 1.0)
    divisors: NDArray[np.float64] = 1.0 / ((1 - blend) / factor + blend)
    return divisors
