"""What the open model has of each way of telling positions apart."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import Relative
from attention.engine.positions import Buckets, Rotary
from attention.engine.transformer import Transformer
from attention.model import Model
from attention.ui.choosing import choose_model
from attention.ui.models import names
from attention.ui.models.anatomy import from_a_table
from attention.ui.models.facts import facts


@dataclass(frozen=True, eq=False)
class Bias:
    """A learned relative bias.

    Attributes:
        stack: "encoder" or "decoder".
        relative: Its buckets and its table.
    """

    stack: str
    relative: Relative


def learned_table(model: Model) -> Float[Tensor, "pos d_model"] | None:
    """The table of learned position vectors, from the first position's row on; None where there is none."""
    reader = _reader(model)
    table, uncounted = reader.embedding.positions, reader.embedding.uncounted
    if table is None or from_a_table(reader):
        return None
    return table if uncounted is None else table[uncounted + 1 :]


def rotary(model: Model) -> Rotary | None:
    """How queries and keys of the first layer turn; None where they do not."""
    return _reader(model).stack.layers[0].attention.config.rotary


def biases(model: Model) -> tuple[Bias, ...]:
    """The learned biases by relative position: of the encoder and of the decoder."""
    return tuple(_biases(model))


def way(model: Model) -> str:
    """How the model tells positions apart, as its card says it."""
    (said,) = [fact for fact in facts(model) if fact.name == "Position"]
    return "; ".join(dict.fromkeys(said.values))


def offer(name: str, why: str) -> None:
    """What the open model does not have, and a button that opens one that does for the whole app."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.html(f'<div class="cap wide">{html.escape(why)}</div>', width="content")
        st.button(
            f"Open {names.title(name)}",
            key=f"positions.open.{name}",
            icon=":material/deployed_code:",
            on_click=lambda: choose_model(name),
        )


def _reader(model: Model) -> Transformer:
    """The stack that reads the sentence."""
    return (model.encoder or model).transformer


def _biases(model: Model) -> Iterator[Bias]:
    stacks = {"decoder": model.transformer}
    if model.encoder is not None:
        stacks = {"encoder": model.encoder.transformer, **stacks}
    for name, transformer in stacks.items():
        attention = transformer.stack.layers[0].attention
        rule, table = attention.config.bias, attention.params.bias
        if isinstance(rule, Buckets) and table is not None:
            yield Bias(name, Relative(rule=rule, table=table))
