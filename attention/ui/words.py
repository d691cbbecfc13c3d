"""What the app says: examples, captions, and how a change is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.engine.masks import (
    And,
    BlockLocal,
    Causal,
    Cells,
    Dilated,
    Fixed,
    Full,
    Global,
    Keys,
    MaskRule,
    Or,
    Own,
    Prefix,
    Random,
    Strided,
    Window,
)
from attention.figures.labels import markdown_label, plain_label
from attention.sites import Site

if TYPE_CHECKING:
    from attention.ui.view import Changes, ViewState


@dataclass(frozen=True)
class Example:
    """A sentence one click away, and the position of the word to look at first."""

    label: str
    text: str
    query: int


EXAMPLES = (
    Example("developer · it", "The developer deployed the application because it was ready.", 7),
    Example("bank, loan", "The bank approved the loan.", 2),
    Example("river bank", "We sat beside the river bank.", 6),
    Example("animal · it", "The animal crossed the road because it was frightened.", 7),
    Example("dog, cat", "The dog chased the cat.", 3),
    Example("cat, dog", "The cat chased the dog.", 3),
    Example("developer, code", "The developer writes code", 3),
    Example("engineer, today", "The engineer builds software today", 3),
)

KINDS: Mapping[Site, str] = {
    "self": "decoder self-attention",
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
}
"""What the three kinds of attention of an encoder–decoder are called."""

LOCAL = "local"

TAGLINE = "what one attention head does with your sentence"


def changes(view: ViewState, tokens: Sequence[str], nothing: str = "no mask") -> str:
    """What the reader changed about the attention that is looked at and about the model, in words.

    Args:
        view: The reader's choices.
        tokens: The tokens that are looked at.
        nothing: What is said when nothing is changed.
    """
    said = changed_attention(view.changes, tokens)
    said += [f"padded to {view.pad}"] if view.pad else []
    said += [f"parameters shuffled (seed {view.shuffled})"] if view.shuffled is not None else []
    return " · ".join(said) or nothing


def changed_attention(changes: Changes, tokens: Sequence[str]) -> list[str]:
    """What was changed about one kind of attention, a phrase each."""
    parts = [rule_name(rule, tokens) for rule in changes.mask if rule != Own()]
    said = [f"{', '.join(parts)} in {_layers(changes.mask_layers)}"] if parts else []
    off = [f"L{layer} H{head}" for layer, head in sorted(changes.heads_off)]
    return said + ([f"{name} off" for name in off] if len(off) <= 4 else [f"{_few(off)} off"])


def rule_name(rule: MaskRule, tokens: Sequence[str] = ()) -> str:
    """A rule in words."""
    match rule:
        case Causal():
            return "causal mask"
        case Full():
            return "nothing masked"
        case Window(before, after):
            return f"window of {before} before, {after} after"
        case Prefix(n):
            return f"prefix of {n} open to all"
        case Keys(hidden=hidden):
            names = [f"{plain_label(tokens[at])} ({at})" for at in sorted(hidden)]
            return f"{_few(names)} hidden as {'a key' if len(names) == 1 else 'keys'}"
        case Cells(blocked=blocked):
            return f"{len(blocked)} {'cell' if len(blocked) == 1 else 'cells'} blocked"
    return _pattern_name(rule, tokens)


def _pattern_name(rule: MaskRule, tokens: Sequence[str]) -> str:
    """One of the sparse patterns in words, or several of which one has to allow."""
    match rule:
        case Or(left, right):
            return f"{rule_name(left, tokens)} or {rule_name(right, tokens)}"
        case Dilated(reach, step):
            return f"every {_ordinal(step)} token, {reach} a side"
        case Global(tokens=named):
            names = [f"{plain_label(tokens[at])} ({at})" if tokens else str(at) for at in sorted(named)]
            return f"{_few(names)} global"
        case Random(links, _, seed):
            return f"{links} random {'link' if links == 1 else 'links'} a token (seed {seed})"
        case BlockLocal(size):
            return f"blocks of {size}"
        case Strided(stride):
            return f"strided by {stride}"
        case Fixed(size, summaries):
            return f"fixed blocks of {size}, the last {summaries} of each open"
    return repr(rule)


def _ordinal(number: int) -> str:
    return {1: "single", 2: "second", 3: "third"}.get(number, f"{number}th")


def _layers(layers: frozenset[int] | None) -> str:
    if layers is None:
        return "every layer"
    return "no layer" if not layers else _few([f"L{layer}" for layer in sorted(layers)])


def _few(names: Sequence[str]) -> str:
    """At most four names, and how many more there are."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def literal(sentence: str) -> str:
    """A sentence that may quote the reader's own text, for Streamlit's messages: no markup in it works."""
    return markdown_label(sentence, limit=len(sentence) + 1)


def role(letter: str, text: str) -> str:
    """A word in a role's colour: q, k, v or z."""
    return f'<span class="{letter}">{text}</span>'


def parts_of(rule: MaskRule) -> tuple[MaskRule, ...]:
    """The simple rules of a conjunction."""
    return (*parts_of(rule.left), *parts_of(rule.right)) if isinstance(rule, And) else (rule,)


def reach(rule: MaskRule) -> str:
    """How far a layer sees: "local, the last 512 tokens" or "global"."""
    windows = [part for part in parts_of(rule) if isinstance(part, Window)]
    return f"{LOCAL}, the last {windows[0].before + 1} tokens" if windows else "global"
