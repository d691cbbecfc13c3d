"""Everything the page draws, for one view: the run, the chosen head, and the pair in focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention.analysis.head_sums import HeadSums, head_sums
from attention.checkpoints.tokens import Token
from attention.engine.chain import Chain, chain
from attention.engine.masks import Full, MaskRule, Window
from attention.engine.trace import AttentionTrace
from attention.figures.step_strip import HeadArrays
from attention.run import Run
from attention.sites import SiteRun
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.asked import Asked
from attention.ui.chips import label, last_word
from attention.ui.fitting import fit, fit_model, rooms
from attention.ui.turns import COSTLY_TOKENS
from attention.ui.view import ViewState
from attention.ui.words import KINDS, changed_attention, changes, rule_name

MOST_WHOLE = 512
"""Tokens of the longest text whose matrices are made whole."""

HELD = 128
"""Queries whose steps are held of a longer one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """One view, worked out.

    Attributes:
        view: The reader's choices, without what the model or the sentence does not have.
        told: What had to be taken out, a sentence each.
        site: What the model did, and which kind of its attention is looked at.
        trace: The steps of the chosen layer.
        one: The chosen head, for the queries that are held.
        chain: Its steps, all of them held.
        head: The same as NumPy arrays.
        query: Position of the query in focus.
        key: Position of the key in focus.
    """

    view: ViewState
    told: tuple[str, ...]
    site: SiteRun
    trace: AttentionTrace
    one: AttentionTrace
    chain: Chain
    head: HeadArrays
    query: int
    key: int

    @property
    def row(self) -> int:
        """Where the query in focus stands among the queries that are held."""
        return self.head.row(self.query)

    @property
    def long(self) -> bool:
        """Whether the text is too long for a whole matrix."""
        return max(len(self.site.queries), len(self.site.keys)) > MOST_WHOLE

    @cached_property
    def sums(self) -> HeadSums:
        """What all rows of the chosen head come to."""
        keys = self.site.keys
        special = [(at, keys[at].text if keys[at].special else "first token") for at in self.hideable]
        whole, n_real = self.trace.head(self.view.head), self.site.stack.n_real
        return cache.head_sums(
            (self.asked, self.view.site, self.view.layer, self.view.head),
            lambda: head_sums(whole, special, n_real, crossing=self.crossing),
        )

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

    @cached_property
    def query_texts(self) -> tuple[str, ...]:
        """The tokens that look as a list or an axis names them."""
        return _texts(self.site.queries)

    @cached_property
    def key_texts(self) -> tuple[str, ...]:
        """The tokens that are looked at, likewise."""
        return _texts(self.site.keys)

    @cached_property
    def hideable(self) -> tuple[int, ...]:
        """Keys that may be left out of the picture: special tokens, else a causal model's first token."""
        return _special(self.site.keys) or ((0,) if own_rule(self.trace) != Full() else ())

    @cached_property
    def hideable_queries(self) -> tuple[int, ...]:
        """Queries that may be: the same, or the special ones among the tokens that look across."""
        return _special(self.site.queries) if self.crossing else self.hideable

    @cached_property
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


def read_before(view: ViewState) -> bool:
    """Whether this text has been read, and is so short that nothing of it will be asked or waited for."""
    if cache.found_model(view.model) is None:
        return False
    run = cache.found_run(asked(view).untouched)
    return run is not None and max(len(run.tokens), view.pad or 0) <= COSTLY_TOKENS


def scene(view: ViewState, read: Callable[[Asked], Run] = cache.run) -> Scene:
    """Work out a view.

    Args:
        view: The reader's choices.
        read: How a run is had.

    Raises:
        AttentionError: The text or a change is one the model cannot take.
    """
    reader = cache.model(view.model)
    n_real = len(reader.tokenize(view.text, view.pair or None))
    possible, told = fit_model(view, reader, n_real)
    fitted, also_told = fit(possible, rooms(read(asked(possible).untouched)))
    site = SiteRun(read(asked(fitted)), fitted.site)
    trace = site.trace(fitted.layer)
    query = last_word(site.queries) if fitted.query is None else fitted.query
    one = _held(trace.head(fitted.head), query)
    made = chain(one)
    head = _arrays(one, made, len(site.queries), fitted.site == "cross")
    key = int(head.weights[head.row(query)].argmax()) if fitted.key is None else fitted.key
    return Scene(
        view=fitted,
        told=(*told, *also_told),
        site=site,
        trace=trace,
        one=one,
        chain=made,
        head=head,
        query=query,
        key=key,
    )


def _held(one: AttentionTrace, query: int) -> AttentionTrace:
    """The queries whose steps are held: all, or of a long text those round the one in focus."""
    n = one.n_queries
    if max(n, one.n_keys) <= MOST_WHOLE or n <= HELD:
        return one
    _ = one.keys, one.values  # read once, they are handed on
    start = min(max(query - HELD // 2, 0), n - HELD)
    return one.rows(start, start + HELD)


def own_rule(trace: AttentionTrace) -> MaskRule:
    """The mask the layer was trained with."""
    return trace.config.own_mask


def _texts(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(label(token) for token in tokens)


def _special(tokens: Sequence[Token]) -> tuple[int, ...]:
    return tuple(at for at, token in enumerate(tokens) if token.special)


def _arrays(one: AttentionTrace, made: Chain, n_queries: int, crossing: bool) -> HeadArrays:
    return HeadArrays(
        input=fixed(one.query_input.numpy()),
        memory=fixed(one.key_input.numpy()) if crossing else None,
        queries=fixed(one.queries[0].numpy()),
        keys=fixed(one.keys[0].numpy()),
        values=fixed(one.values[0].numpy()),
        scores=fixed(made.scores[0].numpy()),
        scaled=fixed(made.scaled[0].numpy()),
        masked=fixed(made.masked[0].numpy()),
        weights=fixed(made.weights[0].numpy()),
        head_output=fixed(made.head_outputs[0].numpy()),
        allowed=fixed(made.mask.numpy()),
        contribution=fixed(made.output.numpy()),
        first_query=one.first_query,
        n_queries=n_queries,
    )
