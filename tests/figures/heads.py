"""One head's arrays for the tests of steps and cells, reckoned here and not by the engine."""

import numpy as np

from attention.figures.step_strip import HeadArrays


def head(
    n_queries: int = 5,
    n_keys: int | None = None,
    *,
    d_model: int = 7,
    d_head: int = 3,
    d_value: int = 4,
    allowed: np.ndarray | None = None,
    seed: int = 3,
    **more: np.ndarray,
) -> HeadArrays:
    """A head whose steps follow from each other; a query that may see nothing has weights of zero."""
    n_keys = n_queries if n_keys is None else n_keys
    allowed = np.ones((n_queries, n_keys), bool) if allowed is None else allowed
    rng = np.random.default_rng(seed)
    queries, keys = rng.normal(size=(n_queries, d_head)), rng.normal(size=(n_keys, d_head))
    values, inputs = rng.normal(size=(n_keys, d_value)), rng.normal(size=(n_queries, d_model))
    scores = queries @ keys.T
    scaled = scores / np.sqrt(d_head)
    raw = np.where(allowed, np.exp(scaled), 0.0)
    sums = raw.sum(axis=1, keepdims=True)
    weights = np.divide(raw, sums, out=np.zeros_like(raw), where=sums > 0)
    return HeadArrays(
        input=inputs,
        queries=queries,
        keys=keys,
        values=values,
        scores=scores,
        scaled=scaled,
        masked=np.where(allowed, scaled, -np.inf),
        weights=weights,
        head_output=weights @ values,
        allowed=allowed,
        **more,
    )


def words(n: int) -> list[str]:
    return [f"w{i}" for i in range(n)]
