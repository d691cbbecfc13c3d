"""What a model did with one text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from attention.checkpoints.tokens import Token
from attention.engine.layer import Layer, LayerPlan, LayerStates
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer, StackRun, counted, rerun_stack, run_stack
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

if TYPE_CHECKING:
    from attention.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What a model did with one text: the residual stream at each layer's door, and nothing else.

    Attributes:
        model: The model.
        tokens: What it read, padding included; in an encoder–decoder the target, its start token first.
        n_real: How many of the tokens are not padding.
        settings: What was changed.
        stack_run: The residual streams.
        encoder: The encoder's run over the source, in an encoder–decoder; None for any other model.
    """

    model: Model
    tokens: tuple[Token, ...]
    n_real: int
    settings: Settings
    stack_run: StackRun
    encoder: Run | None = None

    def __repr__(self) -> str:
        sizes = f"{self.n_layers} layers × {self.n_heads} heads"
        return f"Run({self.model.name!r}, {len(self.tokens)} tokens, {sizes}, {self.settings!r})"

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
        return ("self",) if self.encoder is None else ("self", "cross", "encoder")

    @property
    def padded(self) -> range:
        """Positions of the padding."""
        return range(self.n_real, len(self.tokens))

    @property
    def memory(self) -> Float[Tensor, "key d_model"] | None:
        """What cross-attention attends to: the encoder's final states."""
        return None if self.encoder is None else self.encoder.final

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
        block, pre, plan = self._at(layer)
        mid = None if block.parallel else block.after_attention(pre, plan)
        crossed = None
        if mid is not None and block.cross is not None:
            crossed = block.after_cross(mid, plan, self.memory)
        return LayerStates(pre=pre, mid=mid, crossed=crossed, post=self.after(layer))

    def attention(self, layer: int) -> AttentionTrace:
        """The steps of one layer's self-attention.

        Raises:
            InputError: There is no such layer.
        """
        block, pre, plan = self._at(layer)
        return block.attention.trace(pre, plan)

    def cross_attention(self, layer: int) -> AttentionTrace:
        """The steps of one layer's cross-attention: rows are the target's tokens, columns the source's.

        Raises:
            InputError: The model has none, or no such layer.
        """
        block, pre, plan = self._at(layer)
        if block.cross is None or self.memory is None:
            raise InputError(f"{self.model.name} has no cross-attention; it has: {', '.join(self.sites)}.")
        return block.cross.trace(block.after_attention(pre, plan), plan.cross, self.memory)

    def again(self, settings: Settings, *, on_layer: OnLayer | None = None) -> Run:
        """The same input under other settings; starts at the first layer that the change can touch.

        In an encoder–decoder the target stays as it is, also where the model wrote it itself.

        Raises:
            InputError: A setting that this model cannot take.
        """
        source = self.encoder
        n_before = 0 if source is None else source.n_layers
        n_layers = n_before + self.n_layers
        self.model.check(settings, len(self.tokens), None if source is None else len(source.tokens))
        if source is not None:
            listen = counted(on_layer, 0, n_layers)
            source = source.again(settings.encoder or Settings(), on_layer=listen)
        return self._under(settings, source, counted(on_layer, n_before, n_layers))

    def _under(self, settings: Settings, encoder: Run | None, on_layer: OnLayer | None) -> Run:
        memory = None if encoder is None else encoder.final
        if settings.positions != self.settings.positions or memory is not self.memory:
            return read(self.model, self.tokens, self.n_real, settings, encoder=encoder, on_layer=on_layer)
        plans = plans_of(self.model, settings, self.padded, encoder)
        stack = self.model.transformer.stack
        stack_run = rerun_stack(stack, self.stack_run, plans, memory=memory, on_layer=on_layer)
        return replace(self, settings=settings, stack_run=stack_run, encoder=encoder)

    def _at(self, layer: int) -> tuple[Layer, Float[Tensor, "pos d_model"], LayerPlan]:
        """One layer, what it was given, and what it was asked to do."""
        index = self._index(layer)
        stack = self.model.transformer.stack
        return stack.layers[index], self.resid_pre[index], self.stack_run.plans[index]

    def _index(self, layer: int) -> int:
        if not 0 <= layer < self.n_layers:
            raise InputError(
                f"There is no layer {layer}: the model has {self.n_layers} (layers 0–{self.n_layers - 1})."
            )
        return layer


def read(
    model: Model,
    tokens: tuple[Token, ...],
    n_real: int,
    settings: Settings,
    *,
    encoder: Run | None = None,
    on_layer: OnLayer | None = None,
) -> Run:
    """Send tokens through a model's layers.

    Args:
        model: The model; of an encoder–decoder, the decoder.
        tokens: What it reads, padding included.
        n_real: How many of them are not padding.
        settings: What to change.
        encoder: The encoder's run, where there is one.
        on_layer: Called with (layers done, layers in all).

    Raises:
        InputError: A setting that this model cannot take.
    """
    model.check(settings, len(tokens), None if encoder is None else len(encoder.tokens))
    plans = plans_of(model, settings, range(n_real, len(tokens)), encoder)
    memory = None if encoder is None else encoder.final
    resid = model.embed(tokens, settings)
    stack_run = run_stack(model.transformer.stack, resid, plans, memory=memory, on_layer=on_layer)
    return Run(
        model=model, tokens=tokens, n_real=n_real, settings=settings, stack_run=stack_run, encoder=encoder
    )


def plans_of(model: Model, settings: Settings, padded: range, encoder: Run | None) -> tuple[LayerPlan, ...]:
    """What the settings ask of each layer, the padding of both sequences hidden."""
    return model.transformer.plans(settings, padded, range(0) if encoder is None else encoder.padded)
