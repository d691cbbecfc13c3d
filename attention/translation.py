"""How an encoder–decoder reads a source and reads, or writes, a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention import inputs, writing
from attention.checkpoints.tokens import Token
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer, counted
from attention.inputs import Text
from attention.run import Run, read

if TYPE_CHECKING:
    from attention.model import Model


@dataclass(frozen=True, kw_only=True)
class Target:
    """What the decoder is to have written.

    Attributes:
        given: Ids with their start token, or a text without; None lets the model write.
        special_tokens: Whether the tokenizer adds its own to a text.
        most: Tokens the model writes at most.
    """

    given: Text | None
    special_tokens: bool
    most: int


def translate(
    model: Model, source: Run, target: Target, settings: Settings, on_layer: OnLayer | None = None
) -> Run:
    """The decoder's run over a target, with the encoder's run inside.

    Args:
        model: The decoder.
        source: The encoder's run.
        target: What was written, or how much may be.
        settings: What to change.
        on_layer: Told of the layers done, the encoder's counted too.

    Raises:
        InputError: A target or a setting that the model cannot take.
    """
    progress = counted(on_layer, source.n_layers, source.n_layers + model.config.n_layers)
    tokens = inputs.fit(
        model.checkpoint, _tokens(model, source, target, settings, progress), model.config.n_positions
    )
    return read(model, tokens, len(tokens), settings, encoder=source, on_layer=progress)


def _tokens(
    model: Model, source: Run, target: Target, settings: Settings, on_layer: OnLayer | None
) -> tuple[Token, ...]:
    checkpoint, d_vocab = model.checkpoint, model.config.d_vocab
    by = writing.rules(checkpoint.config)
    tokenizer = checkpoint.target_tokenizer or model.tokenizer
    if isinstance(target.given, str):
        start = inputs.from_ids(tokenizer, [by.first()], d_vocab)
        return start + inputs.from_target(
            checkpoint, target.given, d_vocab=d_vocab, special_tokens=target.special_tokens
        )
    ids = _written(model, source, target, settings, by, on_layer) if target.given is None else target.given
    return inputs.from_ids(tokenizer, ids, d_vocab)


def _written(
    model: Model,
    source: Run,
    target: Target,
    settings: Settings,
    by: writing.Rules,
    on_layer: OnLayer | None,
) -> tuple[int, ...]:
    model.check_heads(settings)
    return writing.write(
        model.transformer,
        source.final,
        source.padded,
        settings,
        by,
        target.most,
        before_each=lambda: None if on_layer is None else on_layer(0, 0),
    )
