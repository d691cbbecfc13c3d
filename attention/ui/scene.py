"""Everything the page draws, for one view: the run, the chosen head, and the pair in focus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention.analysis.keeping import keep
from attention.checkpoints.tokens import Token
from attention.engine.masks import Full, MaskRule, Window
from attention.engine.trace import AttentionTrace
from attention.figures.heatmap import Picture
from attention.figures.step_strip import HeadArrays
from attention.run import Run
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.cache import Asked
from attention.ui.chips import label
from attention.ui.view import ViewState, fit, fit_padding
from attention.ui.words import changes, rule_name


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
        """The tokens as a list or an axis names them."""
        return tuple(label(token) for token in self.run.tokens)

    @property
    def hideable(self) -> tuple[int, ...]:
        """What may be left out of the picture: special tokens, else the first token of a causal model."""
        special = tuple(at for at, token in enumerate(self.run.tokens) if token.special)
        return special or ((0,) if own_rule(self.trace) != Full() else ())

    @property
    def changes(self) -> str:
        """What the reader changed, in words."""
        own = own_rule(self.trace)
        if own == Full():
            return changes(self.view, self.texts)
        said = changes(self.view, self.texts, f"its own mask: {rule_name(own)}")
        return f"what if: {said}" if any(isinstance(rule, Full | Window) for rule in self.view.mask) else said

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
    reader = cache.model(view.model)
    n_real = len(reader.tokenize(view.text, view.pair or None))
    padded, told = fit_padding(view, reader, n_real)
    untouched = cache.run(asked(padded).untouched)
    fitted, also_told = fit(padded, untouched.model.config, len(untouched.tokens))
    run = cache.run(asked(fitted))
    trace = run.attention(fitted.layer)
    head = _arrays(trace, fitted.head)
    query = _last_word(run.tokens) if fitted.query is None else fitted.query
    key = _strongest(head, query) if fitted.key is None else fitted.key
    return Scene(view=fitted, told=(*told, *also_told), run=run, trace=trace, head=head, query=query, key=key)


def own_rule(trace: AttentionTrace) -> MaskRule:
    """The mask the layer was trained with."""
    return trace.config.own_mask


def picture(scene: Scene) -> Picture:
    """The chosen head's weights as they are to be drawn."""
    special = scene.view.special
    hidden = () if special == "show" else scene.hideable
    shown = [at for at in range(len(scene.run.tokens)) if at not in hidden] or [scene.query]
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
        note=_note(scene, special) if hidden else "",
    )


def _note(scene: Scene, special: str) -> str:
    what = "special tokens" if scene.run.tokens[scene.hideable[0]].special else "first token"
    return f"{what} hidden, rows {'renormalised' if special == 'renormalise' else 'left as they are'}"


def _arrays(trace: AttentionTrace, head: int) -> HeadArrays:
    one = trace.head(head)
    return HeadArrays(
        input=fixed(one.query_input.numpy()),
        queries=fixed(one.queries[0].numpy()),
        keys=fixed(one.keys[0].numpy()),
        values=fixed(one.values[0].numpy()),
        scores=fixed(one.scores[0].numpy()),
        scaled=fixed(one.scaled[0].numpy()),
        masked=fixed(one.masked[0].numpy()),
        weights=fixed(one.weights[0].numpy()),
        head_output=fixed(one.head_outputs[0].numpy()),
        allowed=fixed(one.mask.numpy()),
        contribution=fixed(one.output.numpy()),
    )


def _last_word(tokens: Sequence[Token]) -> int:
    """The last token with a letter or a digit in it; else the last one of the reader's own; else the last."""
    own = [at for at, token in enumerate(tokens) if not token.special]
    words = [at for at in own if any(character.isalnum() for character in tokens[at].text)]
    return (words or own or [len(tokens) - 1])[-1]


def _strongest(head: HeadArrays, query: int) -> int:
    return int(head.weights[query].argmax())
