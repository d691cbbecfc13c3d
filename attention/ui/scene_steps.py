"""What the chosen head does on the way from vectors to weights, as the family has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention.figures.projection import Side
from attention.figures.step_strip import BetweenStep
from attention.ui.arrays import fixed
from attention.ui.scene import Scene


def projection_params(
    scene: Scene, side: Side
) -> tuple[Mapping[Side, NDArray[np.floating[Any]]], NDArray[np.floating[Any]] | None]:
    """The chosen head's W_Q, W_K and W_V, each [d_model, width], and the bias of one of them."""
    params = scene.trace.head(scene.view.head).params
    matrices: dict[Side, Tensor] = {"query": params.w_q, "key": params.w_k, "value": params.w_v}
    bias = {"query": params.b_q, "key": params.b_k, "value": params.b_v}[side]
    shown = {name: fixed(matrix[0].numpy()) for name, matrix in matrices.items()}
    return shown, None if bias is None else fixed(bias[0].numpy())


def read_vector(scene: Scene, side: Side) -> NDArray[np.floating[Any]]:
    """What W_Q reads for the query in focus, or W_K and W_V for the key in focus."""
    trace = scene.trace
    read = trace.query_input[scene.query] if side == "query" else trace.key_input[scene.key]
    return fixed(read.numpy())


def between_steps(scene: Scene) -> tuple[BetweenStep, ...]:
    """What the family does to scaled scores before the mask: a soft cap, a bias for the distance."""
    one, found = scene.one, []
    if one.has_cap:
        limit = f"{one.config.softcap:g}"
        found.append(
            BetweenStep(
                name="Capped",
                formula=f"{limit} · tanh(S / {limit})",
                sentence=f"A soft cap: scores near 0 stay, none passes ±{limit}.",
                scores=fixed(scene.chain.capped[0].numpy()),
            )
        )
    if one.has_bias:
        found.append(
            BetweenStep(
                name="Biased",
                formula="S + B",
                sentence="Each head adds a number of its own for the distance between query and key.",
                scores=fixed(scene.chain.biased[0].numpy()),
            )
        )
    return tuple(found)


def states(scene: Scene, side: Side) -> tuple[tuple[str, NDArray[np.floating[Any]]], ...]:
    """The query or the key in focus before and after each thing done to it on the way to the scores."""
    one = scene.trace.head(scene.view.head)
    if side == "query":
        at, found = scene.query, (one.projected_queries, one.normed_queries, one.queries)
    else:
        at, found = scene.key, (one.projected_keys, one.normed_keys, one.keys)
    there = (True, one.has_norm, one.has_rotation)
    names = ("x · W", "after its norm", f"turned for position {at}")
    kept = zip(there, names, found, strict=True)
    return tuple((name, fixed(vectors[0, at].numpy())) for has, name, vectors in kept if has)


def projection_text(scene: Scene) -> str:
    """What makes queries, keys and values out of X, as a formula."""
    return "XW" if scene.trace.params.b_q is None else "XW + b"


def after_projection(scene: Scene) -> tuple[str, ...]:
    """What the family then does to queries and keys; values stay as they are."""
    one = scene.trace.head(scene.view.head)
    return tuple(done for done, has in (("normed", one.has_norm), ("turned", one.has_rotation)) if has)
