"""What comes next: the ten likeliest tokens, before and after the reader's changes."""

from __future__ import annotations

import html

import streamlit as st

from attention.analysis.next_tokens import Next, likeliest
from attention.checkpoints.tokens import Tokenizer
from attention.figures.labels import plain_label
from attention.figures.numbers import share
from attention.ui import cache
from attention.ui.asked import Asked
from attention.ui.chips import label
from attention.ui.panels.twins import next_frame, twin
from attention.ui.scene import Scene
from attention.ui.stores import Store
from attention.ui.titles import title
from attention.writing import rules

COUNT = 10
N_KEPT = 4096
"""Places of which it is kept what comes next."""


def next_tokens(scene: Scene) -> None:
    """A bar a token; nothing for a model that predicts none."""
    run, checkpoint = scene.run, scene.run.model.checkpoint
    tokenizer = checkpoint.target_tokenizer or checkpoint.tokenizer
    if run.model.transformer.unembedding is None or tokenizer is None:
        return
    position = _position(scene)
    # Made once a place: to unembed takes as long as a layer.
    found = _kept().once(
        (scene.asked, position), lambda: likeliest(run, cache.run(scene.original), COUNT, position)
    )
    names = [_name(tokenizer, one.id) for one in found]
    last = html.escape(plain_label(label(run.tokens[position])))
    after = "now and, smaller, before your changes" if scene.view.changed else "of each"
    st.html(title("What comes next", "the ten likeliest tokens"))
    st.html(f'<div class="cap">After “{last}”: the probability {after}.</div>')
    st.html(_bars(found, names, scene.view.changed))
    twin(lambda: next_frame(found, names, changed=scene.view.changed), "next.table")


@st.cache_resource(show_spinner=False)
def _kept() -> Store[tuple[Asked, int], tuple[Next, ...]]:
    return Store(N_KEPT, lambda _: 1, model=lambda key: key[0].model)


def _position(scene: Scene) -> int:
    """After which token: the last of a text; of a target the one in focus, or the last that was not a stop.

    A decoder that wrote its stop token has nothing to say after it.
    """
    run = scene.run
    if run.encoder is None:
        return run.n_real - 1
    if scene.view.site != "encoder":
        return scene.query
    stopped = run.tokens[-1].id in rules(run.model.checkpoint.config).stops
    return max(len(run.tokens) - 1 - stopped, 0)


def _name(tokenizer: Tokenizer, id: int) -> str:
    """A token's piece; its number where the vocabulary is padded beyond the tokenizer's, as Qwen's is."""
    return plain_label(tokenizer.decode_ids([id])[0].shown) if id < tokenizer.n_vocab else f"[{id}]"


def _bars(found: tuple[Next, ...], names: list[str], changed: bool) -> str:
    largest = max(one.probability for one in found)
    rows = [
        f'<span>{html.escape(name)}</span><i style="width:{100 * one.probability / largest:.1f}%"></i>'
        f"<span>{share(one.probability)}{_small(one) if changed else ''}</span>"
        for name, one in zip(names, found, strict=True)
    ]
    return f'<div class="bars next">{"".join(rows)}</div>'


def _small(one: Next) -> str:
    return f"<small>{share(one.before)}</small>"
