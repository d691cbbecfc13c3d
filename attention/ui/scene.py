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
from attention.sites import SiteRun
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.cache import Asked
from attention.ui.chips import label
from attention.ui.fitting import fit, fit_model, rooms
from attention.ui.view import ViewState
from attention.ui.words import KINDS, changed_attention, changes, rule_name


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """One view, worked out.

    Attributes:
        view: The reader's choices, without what the model or the sentence does not have.
        told: What had to be taken out, a sentence each.
        site: What the model did, and which kind of its attention is looked at.
        trace: The steps of the chosen layer.
        head: The steps of the chosen head, as NumPy arrays.
        query: Position of the query in focus.
        key: Position of the key in focus.
    """

    view: ViewState
    told: tuple[str, ...]
    site: SiteRun
    trace: AttentionTrace
    head: HeadArrays
    query: int
    key: int

    @property
    def run(self) -> Run:
        """What the model did; of an encoder–decoder the decoder's run."""
        return self.site.run

    @property
    def asked(self) -> Asked:
        """What the run was asked for."""
        return asked(self.view)

    @property
    def original(self) -> Asked:
        """The run to compare with: the same text, nothing changed."""
        return asked(self.view.put_back())

    @property
    def crossing(self) -> bool:
        """Whether queries and keys are tokens of two sequences."""
        return self.view.site == "cross"

    @property
    def query_texts(self) -> tuple[str, ...]:
        """The tokens that look as a list or an axis names them."""
        return _texts(self.site.queries)

    @property
    def key_texts(self) -> tuple[str, ...]:
        """The tokens that are looked at, likewise."""
        return _texts(self.site.keys)

    @property
    def hideable(self) -> tuple[int, ...]:
        """Keys that may be left out of the picture: special tokens, else a causal model's first token."""
        return _special(self.site.keys) or ((0,) if own_rule(self.trace) != Full() else ())

    @property
    def hideable_queries(self) -> tuple[int, ...]:
        """Queries that may be: the same, or the special ones among the tokens that look across."""
        return _special(self.site.queries) if self.crossing else self.hideable

    @property
    def changes(self) -> str:
        """What the reader changed, in words."""
        others = [
            f"{KINDS[site]}: {' · '.join(changed_attention(made, _texts(SiteRun(self.run, site).keys)))}"
            for site, made in self.view.elsewhere
        ]
        return "; ".join([self._changes_here(), *others])

    def _changes_here(self) -> str:
        own = own_rule(self.trace)
        if own == Full():
            return changes(self.view, self.key_texts)
        said = changes(self.view, self.key_texts, f"its own mask: {rule_name(own)}")
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
        target=view.target or None,
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
    possible, told = fit_model(view, reader, n_real)
    fitted, also_told = fit(possible, rooms(cache.run(asked(possible).untouched)))
    site = SiteRun(cache.run(asked(fitted)), fitted.site)
    trace = site.trace(fitted.layer)
    head = _arrays(trace, fitted.head, fitted.site == "cross")
    query = _last_word(site.queries) if fitted.query is None else fitted.query
    key = _strongest(head, query) if fitted.key is None else fitted.key
    return Scene(
        view=fitted, told=(*told, *also_told), site=site, trace=trace, head=head, query=query, key=key
    )


def own_rule(trace: AttentionTrace) -> MaskRule:
    """The mask the layer was trained with."""
    return trace.config.own_mask


def picture(scene: Scene) -> Picture:
    """The chosen head's weights as they are to be drawn."""
    special = scene.view.special
    rows = _shown(len(scene.site.queries), scene.hideable_queries, special, scene.query)
    columns = _shown(len(scene.site.keys), scene.hideable, special, scene.key)
    weights = scene.trace.head(scene.view.head).weights[0]
    kept = keep(weights, rows, columns, renormalise=special == "renormalise")
    hidden = len(columns) < len(scene.site.keys) or len(rows) < len(scene.site.queries)
    return Picture(
        values=kept.numpy().astype(np.float32),
        allowed=scene.head.allowed[np.ix_(rows, columns)],
        query_tokens=tuple(scene.query_texts[at] for at in rows),
        key_tokens=tuple(scene.key_texts[at] for at in columns),
        query=rows.index(scene.query) if scene.query in rows else None,
        key=columns.index(scene.key) if scene.key in columns else None,
        range=scene.view.range,
        query_positions=tuple(rows),
        key_positions=tuple(columns),
        note=_note(scene, special) if hidden else "",
    )


def _shown(n: int, hideable: Sequence[int], special: str, focus: int) -> list[int]:
    """Which tokens are shown: never none at all."""
    hidden = () if special == "show" else hideable
    return [at for at in range(n) if at not in hidden] or [focus]


def _note(scene: Scene, special: str) -> str:
    hidden = [*(scene.site.keys[at] for at in scene.hideable)] or [scene.site.queries[0]]
    what = "special tokens" if scene.crossing or hidden[0].special else "first token"
    return f"{what} hidden, rows {'renormalised' if special == 'renormalise' else 'left as they are'}"


def _texts(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(label(token) for token in tokens)


def _special(tokens: Sequence[Token]) -> tuple[int, ...]:
    return tuple(at for at, token in enumerate(tokens) if token.special)


def _arrays(trace: AttentionTrace, head: int, crossing: bool) -> HeadArrays:
    one = trace.head(head)
    return HeadArrays(
        input=fixed(one.query_input.numpy()),
        memory=fixed(one.key_input.numpy()) if crossing else None,
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
