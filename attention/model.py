"""A Transformer with its tokenizer, as the world sees it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from attention import inputs
from attention.checkpoints import Checkpoint, Progress, Token, Tokenizer, open_checkpoint
from attention.engine.config import ModelConfig
from attention.engine.params import check_dtype
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer, counted
from attention.engine.transformer import Transformer
from attention.errors import InputError
from attention.families import build
from attention.inputs import Text
from attention.run import Run, read
from attention.translation import Target, translate


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A model ready to read text.

    Attributes:
        name: Its name in the catalog, or its folder's.
        revision: Which weights these are, as shown on screen.
        dtype: What it computes in.
        transformer: The engine's model.
        tokenizer: Text → tokens; None where the checkpoint has none: a text is then a list of ids.
        checkpoint: What it was built from.
    """

    name: str
    revision: str
    dtype: torch.dtype
    transformer: Transformer
    tokenizer: Tokenizer | None
    checkpoint: Checkpoint

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.revision!r}, {self.dtype})"

    @property
    def config(self) -> ModelConfig:
        """Sizes of the model; of the decoder in an encoder–decoder."""
        return self.transformer.config

    @cached_property
    def encoder(self) -> Model | None:
        """The encoder of an encoder–decoder, as a model by itself; None for any other model."""
        encoder = self.transformer.encoder
        return None if encoder is None else replace(self, transformer=encoder)

    @property
    def encoder_config(self) -> ModelConfig | None:
        """Sizes of the encoder of an encoder–decoder; None for any other model."""
        return None if self.encoder is None else self.encoder.config

    @property
    def pad_id(self) -> int | None:
        """What a text (an encoder's, where there is one) is padded with; None where nothing can be."""
        return inputs.pad_id_of(self.checkpoint, (self.encoder_config or self.config).d_vocab)

    def tokenize(
        self, text: Text, pair: Text | None = None, *, special_tokens: bool = True
    ) -> tuple[Token, ...]:
        """The tokens the model would see (its encoder, where it has one), however many they are.

        Raises:
            InputError: A text the tokenizer cannot take, or an id outside the vocabulary.
        """
        d_vocab = (self.encoder_config or self.config).d_vocab
        if isinstance(text, str) and (pair is None or isinstance(pair, str)):
            return inputs.from_text(
                self.checkpoint, text, pair, d_vocab=d_vocab, special_tokens=special_tokens
            )
        if isinstance(text, str) or isinstance(pair, str):
            raise InputError("Text and pair must both be text or both be token ids.")
        second = () if pair is None else inputs.from_ids(self.tokenizer, pair, d_vocab, segment=1)
        return inputs.from_ids(self.tokenizer, text, d_vocab) + second

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
            target: What an encoder–decoder has written: ids exactly as given, the start token included, or a
                text, to which the start token is added. Left out, the model writes itself, greedily.
            settings: What to change in the model's attention.
            special_tokens: Whether the tokenizer adds its own, such as [CLS] and [SEP].
            pad_to: Length to pad to, in tokens; the source's, in an encoder–decoder.
            max_target: Tokens an encoder–decoder writes at most when no target is given.
            on_layer: Called with (layers done, layers in all), and before each token the model writes; an
                exception from it stops the run.

        Raises:
            InputError: A text, an id or a setting that this model cannot take.
        """
        if max_target < 1:
            raise InputError(f"max_target must be 1 or more, not {max_target}.")
        if self.encoder is None:
            if target is not None:
                raise InputError(f"{self.name} is not an encoder–decoder: it takes no target.")
            return self._read(text, pair, settings, special_tokens, pad_to, on_layer)
        self.check_heads(settings)
        listen = counted(on_layer, 0, self.encoder.config.n_layers + self.config.n_layers)
        own = settings.encoder or Settings()
        source = self.encoder._read(text, pair, own, special_tokens, pad_to, listen)
        wanted = Target(given=target, special_tokens=special_tokens, most=max_target)
        return translate(self, source, wanted, settings, on_layer)

    def check(self, settings: Settings, n_positions: int, n_source: int | None = None) -> None:
        """Refuse settings that this model or a sequence of this length cannot take.

        Args:
            settings: What to change.
            n_positions: Length of the sequence; the target's, in an encoder–decoder.
            n_source: Length of an encoder–decoder's source.

        Raises:
            InputError: A layer, head, position or site that is not there.
        """
        self.check_heads(settings)
        settings.check_positions(n_positions)
        if n_source is not None:
            (settings.encoder or Settings()).check_positions(n_source)
            (settings.cross or Settings()).check_positions(n_positions, n_source)

    def check_heads(self, settings: Settings) -> None:
        """Refuse settings of layers, heads or sites that this model does not have.

        Raises:
            InputError: A layer, a head or a site that is not there.
        """
        if self.encoder is None and (settings.encoder is not None or settings.cross is not None):
            raise InputError(f"{self.name} is not an encoder–decoder: encoder and cross have nothing to set.")
        for site in (settings, settings.cross or Settings()):
            site.check_heads(self.config.n_layers, self.config.n_heads)
        if self.encoder is not None:
            self.encoder.check_heads(settings.encoder or Settings())

    def embed(self, tokens: Sequence[Token], settings: Settings) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0.

        Raises:
            InputError: A tokenizer made an id that the embedding has no row for.
        """
        ids = inputs.check_ids((token.id for token in tokens), self.config.d_vocab)
        return self.transformer.embed(ids, [token.segment for token in tokens], settings)

    def shuffled(self, seed: int = 0) -> Model:
        """The same model with every parameter tensor permuted within itself: what training made is gone."""
        generator = torch.Generator().manual_seed(seed)
        given = sorted(self.checkpoint.tensors.items())
        tensors = {name: _permuted(tensor, generator) for name, tensor in given}
        checkpoint = replace(self.checkpoint, tensors=tensors)
        return replace(
            self,
            revision=f"{self.revision} · parameters shuffled (seed {seed})",
            transformer=build(checkpoint.config, tensors),
            checkpoint=checkpoint,
        )

    def _read(
        self,
        text: Text,
        pair: Text | None,
        settings: Settings,
        special_tokens: bool,
        pad_to: int | None,
        on_layer: OnLayer | None,
    ) -> Run:
        """The run of a single stack."""
        real = self.tokenize(text, pair, special_tokens=special_tokens)
        tokens = inputs.fit(self.checkpoint, real, self.config.n_positions, pad_to, self.pad_id)
        return read(self, tokens, len(real), settings, on_layer=on_layer)


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
        dtype: What to compute in, float32 or float64; half precisions on disk are widened to it.
        fetch: Whether a catalog model that is not here may be downloaded.
        progress: Called with (what, bytes done, bytes in all) during a download.

    Raises:
        CheckpointError: The files are missing, damaged, or cannot be had.
        ConfigError: The model is of a kind that is not known here, or the dtype is neither.
    """
    check_dtype(dtype)
    checkpoint = open_checkpoint(source, fetch=fetch, progress=progress)
    return from_checkpoint(checkpoint, dtype=dtype)


def from_checkpoint(checkpoint: Checkpoint, *, dtype: torch.dtype = torch.float32) -> Model:
    """A model from a config and tensors already in memory.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped, or not finite.
        ConfigError: The model is of a kind that is not known here, or the dtype neither float32 nor float64.
    """
    check_dtype(dtype)
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
