"""MiniLM's attention in plain NumPy, from the checkpoint's tensors and the residual stream."""

import re

import numpy as np

from attention import Settings

TEXT = "The developer deployed the application because it was ready."


class ByHand:
    """One head of MiniLM in NumPy float64, from raw tensors."""

    def __init__(self, minilm, layer, head, settings=Settings(), text=TEXT):
        run = minilm.run(text, settings=settings)
        tensors, name = minilm.checkpoint.tensors, f"encoder.layer.{layer}.attention"
        self.x = run.resid_pre[layer].numpy().astype(float)
        rows = slice(32 * head, 32 * head + 32)

        def linear(which):
            weight = tensors[f"{name}.self.{which}.weight"].numpy().astype(float)[rows]
            return self.x @ weight.T + tensors[f"{name}.self.{which}.bias"].numpy()[rows]

        self.q, self.k, self.v = (linear(which) for which in ("query", "key", "value"))
        self.scores = self.q @ self.k.T
        self.scaled = self.scores / np.sqrt(32)
        self.w_o = tensors[f"{name}.output.dense.weight"].numpy().astype(float)[:, rows]
        self.masked = self.scaled

    def causal(self):
        n = len(self.scaled)
        self.masked = np.where(np.tril(np.ones((n, n), bool)), self.scaled, -np.inf)
        return self

    @property
    def weights(self):
        e = np.exp(self.masked - self.masked.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def titled(text, name):
    """The one number that a picture gives on hover under this name."""
    (value,) = re.findall(rf"<title>{re.escape(name)} = (−?[\d.]+)</title>", text)
    return float(value.replace("−", "-"))


def extremes(matrix, group):
    """Of each group of columns the entry farthest from zero."""
    cells = matrix.reshape(len(matrix), -1, group)
    return np.take_along_axis(cells, np.abs(cells).argmax(axis=2)[..., None], axis=2)[..., 0]
