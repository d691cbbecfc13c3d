"""Pictures for the tests of figures and exports."""

import numpy as np

from attention.figures.picture import Picture

SENTENCE = [
    "[CLS]",
    "the",
    "developer",
    "deployed",
    "the",
    "application",
    "because",
    "it",
    "was",
    "ready",
    ".",
    "[SEP]",
]


def weights(rows: int, columns: int, allowed: np.ndarray | None = None, seed: int = 7) -> np.ndarray:
    """Rows that sum to one over what is allowed; a row with nothing allowed is all zero."""
    raw = np.exp(2 * np.random.default_rng(seed).normal(size=(rows, columns)))
    if allowed is not None:
        raw = np.where(allowed, raw, 0)
    sums = raw.sum(axis=1, keepdims=True)
    return np.divide(raw, sums, out=np.zeros_like(raw), where=sums > 0).astype(np.float32)


def picture(
    rows: int = 12, columns: int | None = None, *, allowed: np.ndarray | None = None, **changes
) -> Picture:
    columns = rows if columns is None else columns
    given = {
        "values": weights(rows, columns, allowed),
        "allowed": np.ones((rows, columns), bool) if allowed is None else allowed,
        "query_tokens": tuple(SENTENCE[i % len(SENTENCE)] for i in range(rows)),
        "key_tokens": tuple(SENTENCE[i % len(SENTENCE)] for i in range(columns)),
    }
    return Picture(**(given | changes))


def causal(n: int, **changes) -> Picture:
    return picture(n, allowed=np.tril(np.ones((n, n), bool)), **changes)
