"""What is on screen, as one value: the same in the session, in the address bar and in the caches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from attention.analysis.strips import How
from attention.engine.masks import Cells, Keys
from attention.engine.settings import Settings
from attention.figures.lines import Block
from attention.figures.lit_sentence import Light
from attention.figures.projection import Side
from attention.figures.thumbnails import Pool, Shade
from attention.sites import SITES, Site
from attention.ui.mask_text import Rules, conjunction, tidy
from attention.ui.words import EXAMPLES

Drawing: TypeAlias = Literal["heatmap", "lines", "neurons", "table"]
Range: TypeAlias = Literal["fixed", "head", "log"]
Span: TypeAlias = tuple[int, int]
Special: TypeAlias = Literal["show", "hide", "renormalise"]
Lock: TypeAlias = Literal["query", "key", "none"]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What the reader changed about one kind of attention.

    Attributes:
        mask: Mask rules that all hold; none is the model's own.
        mask_layers: Layers the mask applies to; None is every layer.
        heads_off: (layer, head) pairs that are off.
    """

    mask: Rules = ()
    mask_layers: frozenset[int] | None = None
    heads_off: frozenset[tuple[int, int]] = frozenset()

    @property
    def any(self) -> bool:
        """Whether anything is changed."""
        return bool(self.mask or self.heads_off)

    @property
    def settings(self) -> Settings:
        """The same as the engine is asked for it."""
        layers = self.mask_layers if self.mask else None
        return Settings(mask=conjunction(self.mask), mask_layers=layers, heads_off=self.heads_off)

    def without_positions(self) -> Changes:
        """The same without the rules that name single tokens."""
        return replace(
            self, mask=tidy(tuple(rule for rule in self.mask if not isinstance(rule, Keys | Cells)))
        )


@dataclass(frozen=True, kw_only=True)
class ViewState:
    """The reader's choices. None stands for "whatever fits": the last word, its strongest key.

    Attributes:
        text: The sentence.
        pair: A second sentence.
        target: What an encoder–decoder has written; None lets it write.
        model: A catalog name.
        site: Which kind of attention is looked at.
        layer: From 0.
        head: From 0.
        query: Position of the query in focus.
        key: Position of the key in focus.
        mask: Mask rules of this kind of attention that all hold; none is the model's own.
        mask_layers: Layers the mask applies to; None is every layer.
        heads_off: (layer, head) pairs of this kind of attention that are off.
        elsewhere: What was changed about other kinds of attention, in the order of ``SITES``.
        pad: Length to pad to; the source's, in an encoder–decoder.
        shuffled: Seed of the control model with shuffled parameters; None is the model itself.
        view: How the chosen head is drawn.
        range: What the end of the colour scale stands for.
        special: Whether special tokens are shown, and what becomes of the rest if not.
        words: Whether the pieces of a word are put together.
        sheet_pool: Which weight of a block stands for it on the sheet of heads.
        sheet_shade: Whether the last shade of the sheet is a weight of 1, or each head's largest.
        rows: First and last query shown; None shows all.
        columns: First and last key shown.
        pool: What a cell shows that stands for several weights.
        vector: Of which vector an entry is worked out.
        entry: Which of its entries; None is the largest.
        light: What lights the sentence: what the query gives, or what each token receives as a key.
        lines_heads: Heads whose lines are drawn beside the chosen one's.
        lines_mass: Of each row, the largest weights up to this many percent have a line.
        lines_block: Which sentence of a pair looks at which; "all" for all lines.
        lines_lock: Whose lines stand out: the query's in focus, the key's, or nobody's.
    """

    text: str = EXAMPLES[0].text
    pair: str | None = None
    target: str | None = None
    model: str = "minilm"
    site: Site = "self"
    layer: int = 4
    head: int = 4
    query: int | None = None
    key: int | None = None
    mask: Rules = ()
    mask_layers: frozenset[int] | None = None
    heads_off: frozenset[tuple[int, int]] = frozenset()
    elsewhere: tuple[tuple[Site, Changes], ...] = ()
    pad: int | None = None
    shuffled: int | None = None
    view: Drawing = "heatmap"
    range: Range = "fixed"
    special: Special = "show"
    words: bool = False
    sheet_pool: Pool = "max"
    sheet_shade: Shade = "shared"
    rows: Span | None = None
    columns: Span | None = None
    pool: How = "max"
    vector: Side = "query"
    entry: int | None = None
    light: Light = "gives"
    lines_heads: frozenset[int] = frozenset()
    lines_mass: int = 90
    lines_block: Block = "all"
    lines_lock: Lock = "query"

    @property
    def changes(self) -> Changes:
        """What was changed about the attention that is looked at."""
        return Changes(mask=self.mask, mask_layers=self.mask_layers, heads_off=self.heads_off)

    @property
    def settings(self) -> Settings:
        """What the engine is asked to change."""
        changes: Mapping[Site, Changes] = {**dict(self.elsewhere), self.site: self.changes}
        asked = {site: change.settings for site, change in changes.items() if change.any}
        own = asked.pop("self", Settings())
        return replace(own, encoder=asked.get("encoder"), cross=asked.get("cross"))

    @property
    def changed(self) -> bool:
        """Whether the reader changed anything about the model or its attention."""
        return bool(self.changes.any or self.elsewhere or self.shuffled is not None or self.pad)

    def put_back(self) -> ViewState:
        """The same view of the untouched model."""
        return replace(self.changed_to(Changes()), elsewhere=(), pad=None, shuffled=None)

    def changed_to(self, changes: Changes) -> ViewState:
        """The same view with this about the attention that is looked at."""
        return replace(self, mask=changes.mask, mask_layers=changes.mask_layers, heads_off=changes.heads_off)

    def at(self, site: Site) -> ViewState:
        """The same view of another kind of attention. What was changed about this one stays in force."""
        every = {**dict(self.elsewhere), self.site: self.changes}
        now = every.pop(site, Changes())
        others = tuple((other, every[other]) for other in SITES if other in every and every[other].any)
        query = None if "encoder" in (site, self.site) else self.query  # the decoder's queries are the same
        return replace(self.changed_to(now).unfocused(), site=site, elsewhere=others, query=query)

    def unfocused(self) -> ViewState:
        """The same view, of no token more than of another."""
        return replace(self, query=None, key=None, rows=None, columns=None)

    def on_another_text(self, **fields: object) -> ViewState:
        """The same view of other tokens: what named single positions is let go."""
        others = ((site, changes.without_positions()) for site, changes in self.elsewhere)
        kept = tuple((site, changes) for site, changes in others if changes.any)
        own = self.changed_to(self.changes.without_positions())
        fresh = replace(own.unfocused(), elsewhere=kept, pad=None)
        return replace(fresh, **fields)  # type: ignore[arg-type]


START = ViewState(query=EXAMPLES[0].query)
"""What a reader who brings no link sees first."""
