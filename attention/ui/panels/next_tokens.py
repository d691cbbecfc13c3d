"""What comes next: the ten likeliest tokens, before and after the reader's changes."""

from __future__ import annotations

import html

import streamlit as st

from attention.analysis.next_tokens import Next, likeliest
from attention.checkpoints.tokens import Tokenizer
from attention.figures.labels import plain_label
from attention.figures.numbers import share
from attention.ui import cache
from attention.ui.chips import label
from attention.ui.scene import Scene

COUNT = 10


def next_tokens(scene: Scene) -> None:
    """A bar a token; nothing for a model that predicts none."""
    run, tokenizer = scene.run, scene.run.model.tokenizer
    if run.model.transformer.unembedding is None or tokenizer is None:
        return
    found = likeliest(run, cache.run(scene.original), COUNT)
    names = [_name(tokenizer, one.id) for one in found]
    last = html.escape(plain_label(label(run.tokens[run.n_real - 1])))
    after = "now and, smaller, before your changes" if scene.view.changed else "of each"
    st.html('<div class="title">What comes next<span class="m">the ten likeliest tokens</span></div>')
    st.html(f'<div class="cap">After “{last}”: the probability {after}.</div>')
    st.html(_bars(found, names, scene.view.changed))


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
