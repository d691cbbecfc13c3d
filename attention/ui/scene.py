"""Everything the page draws, for one view: the run, the chosen head, and the pair in focus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention.analysis.keeping import keep
from attention.checkpoints.tokens import Token
from attention.engine.trace import AttentionTrace
from attention.figures.heatmap import Picture
from attention.figures.projection import Side
from attention.figures.step_strip import HeadArrays
from attention.run import Run
from attention.ui import cache
from attention.ui.cache import Asked
from attention.ui.components.token_strip import Chip
from attention.ui.view import ViewState, fit
from attention.ui.words import changes

NOTES = {"show": "", "hide": "special tokens hidden, rows left as they are",
         "renormalise": "special tokens hidden, rows renormalised"}  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """One view, worked out.

    Attributes:
        view: The reader's choices, without what the model or the sentence does not have.
        told: What had to be taken out, a sentence each.
        run: What the model did.
        trace: The steps of the chosen layer.
        head: The steps of the chosen head, as NumPy arrays.
        query: Position of the query in focus.
        key: Position of the key in focus.
    """

    view: ViewState
    told: tuple[str, ...]
    run: Run
    trace: AttentionTrace
    head: HeadArrays
    query: int
    key: int

    @property
    def asked(self) -> Asked:
        """What the run was asked for."""
        return asked(self.view)

    @property
    def original(self) -> Asked:
        """The run to compare with: the same text, nothing changed."""
        return asked(self.view.put_back())

    @property
    def texts(self) -> tuple[str, ...]:
        """The raw tokens."""
        return tuple(token.text for token in self.run.tokens)

    @property
    def changes(self) -> str:
        """What the reader changed, in words."""
        return changes(self.view, self.run.tokens)

    @property
    def scale_text(self) -> str:
        """What scaling does, such as "÷ √32"."""
        config = self.trace.config
        plain = np.isclose(config.scale, config.d_head**-0.5)
        return f"÷ √{config.d_head}" if plain else f"× {config.scale:g}"


def asked(view: ViewState) -> Asked:
    """The run that a view needs."""
    return Asked(
        model=view.model,
        text=view.text,
        pair=view.pair or None,
        pad=view.pad,
        shuffled=view.shuffled,
        settings=view.settings,
    )


def scene(view: ViewState) -> Scene:
    """Work out a view.

    Raises:
        AttentionError: The text or a change is one the model cannot take.
    """
    untouched = cache.run(asked(view).untouched)
    fitted, told = fit(view, untouched.model.config, len(untouched.tokens))
    run = cache.run(asked(fitted))
    trace = run.attention(fitted.layer)
    head = _arrays(trace, fitted.head)
    query = _last_word(run.tokens) if fitted.query is None else fitted.query
    key = _strongest(head, query) if fitted.key is None else fitted.key
    return Scene(view=fitted, told=told, run=run, trace=trace, head=head, query=query, key=key)


def chips(tokens: Sequence[Token]) -> tuple[Chip, ...]:
    """The tokens as the strip shows them: pieces joined to their word, brackets and ## taken off."""
    before: Sequence[Token | None] = (None, *tokens)
    return tuple(_chip(token, earlier) for token, earlier in zip(tokens, before, strict=False))


def picture(scene: Scene) -> Picture:
    """The chosen head's weights as they are to be drawn."""
    special = scene.view.special
    shown = [at for at, token in enumerate(scene.run.tokens) if special == "show" or not token.special]
    weights = scene.trace.head(scene.view.head).weights[0]
    tokens = tuple(scene.texts[at] for at in shown)
    return Picture(
        values=keep(weights, shown, renormalise=special == "renormalise").numpy().astype(np.float32),
        allowed=scene.head.allowed[np.ix_(shown, shown)],
        query_tokens=tokens,
        key_tokens=tokens,
        query=shown.index(scene.query) if scene.query in shown else None,
        key=shown.index(scene.key) if scene.key in shown else None,
        range=scene.view.range,
        query_positions=tuple(shown),
        key_positions=tuple(shown),
        note=NOTES[special],
    )


def projection_params(
    scene: Scene, side: Side
) -> tuple[Mapping[Side, NDArray[np.floating[Any]]], NDArray[np.floating[Any]] | None]:
    """The chosen head's W_Q, W_K and W_V, each [d_model, width], and the bias of one of them."""
    params = scene.trace.head(scene.view.head).params
    matrices: dict[Side, Tensor] = {"query": params.w_q, "key": params.w_k, "value": params.w_v}
    bias = {"query": params.b_q, "key": params.b_k, "value": params.b_v}[side]
    shown = {name: matrix[0].numpy() for name, matrix in matrices.items()}
    return shown, None if bias is None else bias[0].numpy()


def _arrays(trace: AttentionTrace, head: int) -> HeadArrays:
    one = trace.head(head)
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
        contribution=one.output.numpy(),
    )


def _last_word(tokens: Sequence[Token]) -> int:
    """The last token with a letter or a digit in it; else the last one of the reader's own; else the last."""
    own = [at for at, token in enumerate(tokens) if not token.special]
    words = [at for at in own if any(character.isalnum() for character in tokens[at].text)]
    return (words or own or [len(tokens) - 1])[-1]


def _strongest(head: HeadArrays, query: int) -> int:
    return int(head.weights[query].argmax())


def _chip(token: Token, earlier: Token | None) -> Chip:
    same_word = earlier is not None and token.word is not None and (token.word, token.segment) == (
        earlier.word,
        earlier.segment,
    )  # fmt: skip
    bracketed = token.special and token.text.startswith("[") and token.text.endswith("]")
    shown = token.text[1:-1] if bracketed else token.text.removeprefix("##") if same_word else token.text
    return Chip(
        raw=token.text,
        shown=shown,
        id=token.id,
        start=token.start,
        end=token.end,
        special=token.special,
        joined=same_word,
    )
