"""What a model did with one text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from attention.checkpoints.tokens import Token
from attention.engine.layer import LayerStates
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer, StackRun, rerun_stack, run_stack
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

if TYPE_CHECKING:
    from attention.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What a model did with one text: the residual stream at each layer's door, and nothing else.

    Attributes:
        model: The model.
        tokens: What it read, padding included.
        n_real: How many of the tokens are not padding.
        settings: What was changed.
        stack_run: The residual streams.
        encoder: The encoder's run in an encoder–decoder; None for any other model.
    """

    model: Model
    tokens: tuple[Token, ...]
    n_real: int
    settings: Settings
    stack_run: StackRun
    encoder: Run | None = None

    @property
    def n_layers(self) -> int:
        """Layers of the stack."""
        return self.model.config.n_layers

    @property
    def n_heads(self) -> int:
        """Query heads a layer."""
        return self.model.config.n_heads

    @property
    def sites(self) -> tuple[str, ...]:
        """The kinds of attention there are: "self", "cross", "encoder"."""
        return ("self",)

    @property
    def resid_pre(self) -> tuple[Float[Tensor, "pos d_model"], ...]:
        """The residual stream at each layer's door."""
        return self.stack_run.resid_pre

    @property
    def final(self) -> Float[Tensor, "pos d_model"]:
        """The last residual stream after the final norm."""
        return self.stack_run.final

    @property
    def logits(self) -> Float[Tensor, "pos d_vocab"]:
        """Scores of the vocabulary at each position; computed when read and not kept.

        Raises:
            InputError: The model predicts no token.
        """
        return self.model.transformer.unembed(self.final)

    def next_token(self, position: int = -1) -> Float[Tensor, " d_vocab"]:
        """Probabilities of the token after a position.

        Raises:
            InputError: No such position, or the model predicts no token.
        """
        n = len(self.tokens)
        if not -n <= position < n:
            raise InputError(f"There is no position {position}: the text has {n} tokens.")
        at = position % n
        return torch.softmax(self.model.transformer.unembed(self.final[at : at + 1])[0], dim=-1)

    def after(self, layer: int) -> Float[Tensor, "pos d_model"]:
        """The residual stream after one layer, before any final norm."""
        return (*self.resid_pre, self.stack_run.post)[self._index(layer) + 1]

    def layer(self, layer: int) -> LayerStates:
        """The residual stream before, inside and after one layer.

        Raises:
            InputError: There is no such layer.
        """
        index = self._index(layer)
        pre, plan = self.resid_pre[index], self.stack_run.plans[index]
        mid = self.model.transformer.stack.layers[index].after_attention(pre, plan)
        return LayerStates(pre=pre, mid=mid, post=self.after(index))

    def attention(self, layer: int) -> AttentionTrace:
        """The steps of one layer's self-attention.

        Raises:
            InputError: There is no such layer.
        """
        index = self._index(layer)
        sublayer = self.model.transformer.stack.layers[index].attention
        return sublayer.trace(self.resid_pre[index], self.stack_run.plans[index])

    def cross_attention(self, layer: int) -> AttentionTrace:
        """The steps of one layer's cross-attention.

        Raises:
            InputError: The model has none.
        """
        raise InputError(f"{self.model.name} has no cross-attention; it has: {', '.join(self.sites)}.")

    def again(self, settings: Settings, *, on_layer: OnLayer | None = None) -> Run:
        """The same input under other settings; starts at the first layer that the change can touch.

        Raises:
            InputError: A setting that this model cannot take.
        """
        model, transformer = self.model, self.model.transformer
        model.check(settings, len(self.tokens))
        plans = transformer.plans(settings, range(self.n_real, len(self.tokens)))
        if settings.positions == self.settings.positions:
            stack_run = rerun_stack(transformer.stack, self.stack_run, plans, on_layer)
        else:
            resid = model.embed(self.tokens, settings)
            stack_run = run_stack(transformer.stack, resid, plans, on_layer=on_layer)
        return replace(self, settings=settings, stack_run=stack_run)

    def _index(self, layer: int) -> int:
        if not 0 <= layer < self.n_layers:
            raise InputError(
                f"There is no layer {layer}: the model has {self.n_layers} (layers 0–{self.n_layers - 1})."
            )
        return layer
