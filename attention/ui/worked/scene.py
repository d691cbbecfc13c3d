"""The desk's numbers, run through the engine: a toy model, its run, and the steps of its one head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention.checkpoints.tokens import Token
from attention.checkpoints.toy import toy_checkpoint
from attention.engine.masks import Causal
from attention.engine.settings import Settings
from attention.engine.trace import AttentionTrace
from attention.figures.step_strip import HeadArrays
from attention.model import Model, from_checkpoint
from attention.run import Run
from attention.ui.worked.cells import Numbers
from attention.ui.worked.desk import Desk


@dataclass(frozen=True, eq=False, kw_only=True)
class WorkedScene:
    """One desk, worked out.

    Attributes:
        desk: What the reader set.
        run: What the toy model did.
        trace: The steps of its one layer.
        head: The steps as NumPy arrays.
    """

    desk: Desk
    run: Run
    trace: AttentionTrace
    head: HeadArrays

    @property
    def tokens(self) -> tuple[str, ...]:
        """The reader's words."""
        return self.desk.tokens

    @property
    def pieces(self) -> tuple[Token, ...]:
        """The same as the model's tokens, under the reader's words."""
        pairs = zip(self.run.tokens, self.tokens, strict=True)
        return tuple(replace(token, text=word) for token, word in pairs)

    @property
    def query(self) -> int:
        """Position of the query in focus."""
        return self.desk.pair[0]

    @property
    def key(self) -> int:
        """Position of the key in focus."""
        return self.desk.pair[1]

    @property
    def scale_text(self) -> str:
        """What scaling does, such as "÷ √2"."""
        return f"÷ √{self.trace.config.d_head}"


def worked_scene(desk: Desk) -> WorkedScene:
    """Work out the desk's last good numbers, in float64."""
    run = toy(desk).run(range(len(desk.tokens)), settings=settings(desk))
    trace = run.attention(0)
    return WorkedScene(desk=desk, run=run, trace=trace, head=_arrays(trace.head(0)))


def toy(desk: Desk) -> Model:
    """The desk's numbers as a model of one head."""
    x, w_q, w_k, w_v = (tensor(desk.numbers[name]) for name in ("x", "q", "k", "v"))
    # W_O leads back into the residual stream; the page ends at the head's own output.
    w_o = torch.eye(w_v.shape[1], x.shape[1], dtype=torch.float64)
    checkpoint = toy_checkpoint(vocabulary(desk.tokens), x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)
    return from_checkpoint(checkpoint, dtype=torch.float64)


def settings(desk: Desk) -> Settings:
    """What the reader asks of the engine."""
    return Settings(mask=Causal()) if desk.causal else Settings()


def vocabulary(tokens: Sequence[str]) -> tuple[str, ...]:
    """A word of its own for each position, also where the reader wrote one twice.

    >>> vocabulary(["I", "learn"]), vocabulary(["I", "I"])
    (('I', 'learn'), ('0:I', '1:I'))
    """
    if len(set(tokens)) == len(tokens):
        return tuple(tokens)
    return tuple(f"{at}:{token}" for at, token in enumerate(tokens))


def tensor(numbers: Numbers) -> Tensor:
    """A matrix as the engine takes it."""
    return torch.tensor(numbers, dtype=torch.float64)


def _arrays(one: AttentionTrace) -> HeadArrays:
    return HeadArrays(
        input=one.query_input.numpy(),
        queries=one.queries[0].numpy(),
        keys=one.keys[0].numpy(),
        values=one.values[0].numpy(),
        scores=one.scores[0].numpy(),
        scaled=one.scaled[0].numpy(),
        masked=one.masked[0].numpy(),
        weights=one.weights[0].numpy(),
        head_output=one.head_outputs[0].numpy(),
        allowed=one.mask.numpy(),
    )
