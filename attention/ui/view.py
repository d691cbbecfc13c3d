"""What is on screen, as one value: the same in the session, in the address bar and in the caches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from attention.engine.config import ModelConfig
from attention.engine.masks import Cells, Keys
from attention.engine.settings import Settings
from attention.model import Model
from attention.ui.mask_text import Rules, conjunction, tidy
from attention.ui.words import EXAMPLES

Drawing: TypeAlias = Literal["heatmap", "lines", "table"]
Range: TypeAlias = Literal["fixed", "head", "log"]
Special: TypeAlias = Literal["show", "hide", "renormalise"]


@dataclass(frozen=True, kw_only=True)
class ViewState:
    """The reader's choices. None stands for "whatever fits": the last word, its strongest key.

    Attributes:
        text: The sentence.
        pair: A second sentence.
        model: A catalog name.
        layer: From 0.
        head: From 0.
        query: Position of the query in focus.
        key: Position of the key in focus.
        mask: Mask rules that all hold; none is the model's own.
        mask_layers: Layers the mask applies to; None is every layer.
        heads_off: (layer, head) pairs that are off.
        pad: Length to pad to.
        shuffled: Seed of the control model with shuffled parameters; None is the model itself.
        view: How the chosen head is drawn.
        range: What the end of the colour scale stands for.
        special: Whether special tokens are shown, and what becomes of the rest if not.
    """

    text: str = EXAMPLES[0].text
    pair: str | None = None
    model: str = "minilm"
    layer: int = 4
    head: int = 4
    query: int | None = None
    key: int | None = None
    mask: Rules = ()
    mask_layers: frozenset[int] | None = None
    heads_off: frozenset[tuple[int, int]] = frozenset()
    pad: int | None = None
    shuffled: int | None = None
    view: Drawing = "heatmap"
    range: Range = "fixed"
    special: Special = "show"

    @property
    def settings(self) -> Settings:
        """What the engine is asked to change."""
        layers = self.mask_layers if self.mask else None
        return Settings(mask=conjunction(self.mask), mask_layers=layers, heads_off=self.heads_off)

    @property
    def changed(self) -> bool:
        """Whether the reader changed anything about the model or its attention."""
        return bool(self.mask or self.heads_off or self.shuffled is not None or self.pad)

    def put_back(self) -> ViewState:
        """The same view of the untouched model."""
        return replace(self, mask=(), mask_layers=None, heads_off=frozenset(), pad=None, shuffled=None)

    def on_another_text(self, **fields: object) -> ViewState:
        """The same view of other tokens: what named single positions is let go."""
        kept = tuple(rule for rule in self.mask if not isinstance(rule, Keys | Cells))
        fresh = replace(self, query=None, key=None, mask=tidy(kept), pad=None)
        return replace(fresh, **fields)  # type: ignore[arg-type]


START = ViewState(query=EXAMPLES[0].query)
"""What a reader who brings no link sees first."""


def fit_padding(view: ViewState, model: Model, n_real: int) -> tuple[ViewState, tuple[str, ...]]:
    """The view without padding the model has no token for, or to a length it cannot take."""
    most = model.config.n_positions
    if view.pad is None or (model.pad_id is not None and n_real <= view.pad <= most):
        return view, ()
    if model.pad_id is None:
        return replace(view, pad=None), (f"{model.name} has no padding token; nothing was padded.",)
    room = f"between the text's {n_real} tokens and the model's {most} positions"
    return replace(view, pad=None), (f"Padding to {view.pad} is not {room}.",)


def fit(view: ViewState, config: ModelConfig, n_tokens: int) -> tuple[ViewState, tuple[str, ...]]:
    """The view with everything the model or the sentence does not have taken out, and what that was."""
    told: list[str] = []
    layer = _index(view.layer, config.n_layers, "layer", told)
    head = _index(view.head, config.n_heads, "head", told)
    query = _position(view.query, n_tokens, "query", told)
    key = _position(view.key, n_tokens, "key", told)
    fitted = replace(view, layer=layer, head=head, query=query, key=key)
    return _fit_changes(fitted, config, n_tokens, told), tuple(told)


def _fit_changes(view: ViewState, config: ModelConfig, n_tokens: int, told: list[str]) -> ViewState:
    heads = {(ly, h) for ly, h in view.heads_off if ly < config.n_layers and h < config.n_heads}
    if lost := sorted(view.heads_off - heads):
        names = ", ".join(f"L{layer} H{head}" for layer, head in lost[:4])
        told.append(f"There is no {names}{' and others' * (len(lost) > 4)} to switch off.")
    layers = view.mask_layers
    if layers is not None and not layers <= set(range(config.n_layers)):
        told.append(f"The mask's layers go beyond the model's {config.n_layers}; it applies to every layer.")
        layers = None
    rules = tuple(rule for rule in view.mask if _inside(rule.named(), n_tokens))
    told += [f"The mask {rule!r} names positions beyond the {n_tokens} tokens." for rule in view.mask
             if rule not in rules]  # fmt: skip
    return replace(view, heads_off=frozenset(heads), mask_layers=layers, mask=tidy(rules))


def _inside(named: tuple[frozenset[int], frozenset[int]], n_tokens: int) -> bool:
    return all(position < n_tokens for positions in named for position in positions)


def _index(index: int, count: int, name: str, told: list[str]) -> int:
    if index < count:
        return index
    told.append(f"There is no {name} {index}: the model has {count} ({name}s 0–{count - 1}).")
    return count - 1


def _position(position: int | None, n_tokens: int, name: str, told: list[str]) -> int | None:
    if position is None or position < n_tokens:
        return position
    told.append(f"There is no {name} at position {position}: the sentence has {n_tokens} tokens.")
    return None
