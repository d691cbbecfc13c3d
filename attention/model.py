"""A Transformer with its tokenizer, as the world sees it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from attention.checkpoints import open_checkpoint
from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.fetch import Progress
from attention.checkpoints.tokens import Token, Tokenizer
from attention.engine.config import ModelConfig
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer, run_stack
from attention.engine.transformer import Transformer
from attention.errors import InputError
from attention.families import build
from attention.run import Run

Text: TypeAlias = str | Sequence[int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A model ready to read text.

    Attributes:
        name: Its name in the catalog, or its folder's.
        revision: Which weights these are, as shown on screen.
        dtype: What it computes in.
        transformer: The engine's model.
        tokenizer: Text → tokens; None where the checkpoint has none, and the model takes ids only.
        checkpoint: What it was built from.
    """

    name: str
    revision: str
    dtype: torch.dtype
    transformer: Transformer
    tokenizer: Tokenizer | None
    checkpoint: Checkpoint

    @property
    def config(self) -> ModelConfig:
        """Sizes of the model; of the decoder in an encoder–decoder."""
        return self.transformer.config

    @property
    def encoder_config(self) -> ModelConfig | None:
        """Sizes of the encoder of an encoder–decoder; None for any other model."""
        return None

    def tokenize(
        self, text: Text, pair: Text | None = None, *, special_tokens: bool = True
    ) -> tuple[Token, ...]:
        """The tokens the model would see, however many they are.

        Raises:
            InputError: A text the tokenizer cannot take, or an id outside the vocabulary.
        """
        if isinstance(text, str) and (pair is None or isinstance(pair, str)):
            if self.tokenizer is None:
                raise InputError(f"{self.name} came without a tokenizer: it takes token ids only.")
            return self.tokenizer.encode(text, pair, special_tokens=special_tokens)
        if isinstance(text, str) or isinstance(pair, str):
            raise InputError("Text and pair must both be text or both be token ids.")
        return self._from_ids(text, 0) + (() if pair is None else self._from_ids(pair, 1))

    def run(
        self,
        text: Text,
        *,
        pair: Text | None = None,
        target: Text | None = None,
        settings: Settings = Settings(),
        special_tokens: bool = True,
        pad_to: int | None = None,
        max_target: int = 128,
        on_layer: OnLayer | None = None,
    ) -> Run:
        """Read a text.

        Args:
            text: A sentence, or token ids that are used exactly as given.
            pair: A second sentence (or its ids), for models that read two.
            target: What an encoder–decoder is to write.
            settings: What to change in the model's attention.
            special_tokens: Whether the tokenizer adds its own, such as [CLS] and [SEP].
            pad_to: Length to pad to, in tokens.
            max_target: Tokens an encoder–decoder writes at most when no target is given.
            on_layer: Called with (layers done, layers in all); an exception from it stops the run.

        Raises:
            InputError: A text, an id or a setting that this model cannot take.
        """
        if target is not None:
            raise InputError(f"{self.name} is not an encoder–decoder: it takes no target.")
        if max_target < 1:
            raise InputError(f"max_target must be 1 or more, not {max_target}.")
        real = self.tokenize(text, pair, special_tokens=special_tokens)
        tokens = self._fit(real, pad_to)
        self.check(settings, len(tokens))
        plans = self.transformer.plans(settings, range(len(real), len(tokens)))
        resid = self.embed(tokens, settings)
        stack_run = run_stack(self.transformer.stack, resid, plans, on_layer=on_layer)
        return Run(model=self, tokens=tokens, n_real=len(real), settings=settings, stack_run=stack_run)

    def check(self, settings: Settings, n_positions: int) -> None:
        """Refuse settings that this model or a sequence of this length cannot take.

        Raises:
            InputError: A layer, head, position or site that is not there.
        """
        if settings.encoder is not None or settings.cross is not None:
            raise InputError(f"{self.name} is not an encoder–decoder: encoder and cross have nothing to set.")
        settings.check(self.config.n_layers, self.config.n_heads, n_positions)

    def embed(self, tokens: Sequence[Token], settings: Settings) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0."""
        ids, segments = [token.id for token in tokens], [token.segment for token in tokens]
        return self.transformer.embed(ids, segments, settings)

    def shuffled(self, seed: int = 0) -> Model:
        """The same model with every parameter tensor permuted within itself: what training made is gone."""
        generator = torch.Generator().manual_seed(seed)
        tensors = {
            name: _permuted(tensor, generator) for name, tensor in sorted(self.checkpoint.tensors.items())
        }
        checkpoint = replace(self.checkpoint, tensors=tensors)
        return replace(
            self,
            revision=f"{self.revision} · parameters shuffled (seed {seed})",
            transformer=build(checkpoint.config, tensors),
            checkpoint=checkpoint,
        )

    def _from_ids(self, ids: Sequence[int], segment: int) -> tuple[Token, ...]:
        last = self.config.d_vocab - 1
        for token_id in ids:
            if not 0 <= token_id <= last:
                raise InputError(f"Token id {token_id} is not in the vocabulary (0–{last}).")
        if self.tokenizer is not None:
            tokens = self.tokenizer.decode_ids(list(ids))
        else:
            tokens = tuple(Token(str(i), i, 0, 0, False, place, 0) for place, i in enumerate(ids))
        return tuple(replace(token, segment=segment) for token in tokens)

    def _fit(self, tokens: tuple[Token, ...], pad_to: int | None) -> tuple[Token, ...]:
        """Pad to the length asked for; never cut."""
        limit = self.config.n_positions
        wanted = len(tokens) if pad_to is None else pad_to
        if not tokens:
            raise InputError("There is no token to read.")
        if wanted < len(tokens):
            raise InputError(f"The text has {len(tokens)} tokens; pad_to ({wanted}) cannot be shorter.")
        if wanted > limit:
            what = "The text has" if pad_to is None else "pad_to asks for"
            raise InputError(f"{what} {wanted} tokens; {self.name} takes at most {limit}.")
        return tokens + (self._pad(),) * (wanted - len(tokens))

    def _pad(self) -> Token:
        if self.tokenizer is not None and self.tokenizer.pad_id is not None:
            return self.tokenizer.pad_token()
        pad_id = self.checkpoint.config.get("pad_token_id")
        return Token("[PAD]", int(pad_id or 0), 0, 0, True, None, 0)


def load(
    source: str | os.PathLike[str],
    *,
    dtype: torch.dtype = torch.float32,
    fetch: bool = True,
    progress: Progress | None = None,
) -> Model:
    """Open a model.

    Args:
        source: A name in the catalog, or a folder with config.json and *.safetensors.
        dtype: What to compute in; half precisions on disk are widened to it.
        fetch: Whether a catalog model that is not here may be downloaded.
        progress: Called with (what, bytes done, bytes in all) during a download.

    Raises:
        CheckpointError: The files are missing, damaged, or cannot be had.
        ConfigError: The model is of a kind that is not known here.
    """
    checkpoint = open_checkpoint(source, fetch=fetch, progress=progress)
    return from_checkpoint(checkpoint, dtype=dtype)


def from_checkpoint(checkpoint: Checkpoint, *, dtype: torch.dtype = torch.float32) -> Model:
    """A model from a config and tensors already in memory.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
        ConfigError: The model is of a kind that is not known here, or the dtype is too narrow.
    """
    tensors = {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor
        for name, tensor in checkpoint.tensors.items()
    }
    widened = replace(checkpoint, tensors=tensors)
    return Model(
        name=checkpoint.name,
        revision=checkpoint.revision,
        dtype=dtype,
        transformer=build(checkpoint.config, tensors),
        tokenizer=checkpoint.tokenizer,
        checkpoint=widened,
    )


def _permuted(tensor: Tensor, generator: torch.Generator) -> Tensor:
    if not tensor.is_floating_point():
        return tensor
    order = torch.randperm(tensor.numel(), generator=generator)
    return tensor.flatten()[order].view(tensor.shape)
