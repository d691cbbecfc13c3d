"""What the app says: examples, captions, and how a change is named."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.analysis.heads import on_first_token
from attention.engine.masks import And, Causal, Cells, Full, Keys, MaskRule, Own, Prefix, Window
from attention.figures.labels import numbered, plain_label, safe_label

if TYPE_CHECKING:
    from attention.ui.scene import Scene
    from attention.ui.view import ViewState


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

TAGLINE = "what one attention head does with your sentence"


def changes(view: ViewState, tokens: Sequence[str], nothing: str = "no mask") -> str:
    """What the reader changed, in words.

    Args:
        view: The reader's choices.
        tokens: The tokens they speak of.
        nothing: What is said when nothing is changed.
    """
    parts = [rule_name(rule, tokens) for rule in view.mask if rule != Own()]
    said = [f"{', '.join(parts)} in {_layers(view.mask_layers)}"] if parts else []
    off = [f"L{layer} H{head}" for layer, head in sorted(view.heads_off)]
    said += [f"{name} off" for name in off] if len(off) <= 4 else [f"{_few(off)} off"]
    said += [f"padded to {view.pad}"] if view.pad else []
    said += [f"parameters shuffled (seed {view.shuffled})"] if view.shuffled is not None else []
    return " · ".join(said) or nothing


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
    return repr(rule)


def _layers(layers: frozenset[int] | None) -> str:
    if layers is None:
        return "every layer"
    return "no layer" if not layers else _few([f"L{layer}" for layer in sorted(layers)])


def _few(names: Sequence[str]) -> str:
    """At most four names, and how many more there are."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def sheet_caption(scene: Scene, theme: str) -> str:
    """How to read the sheet, and, while nothing is changed, what to look for on it."""
    how = "Each square is one head reading the whole sentence: rows look, columns are looked at."
    tone = "dark" if theme == "light" else "bright"
    notice = (
        " <b>Notice</b> diagonals, where tokens look at their neighbours, and single "
        f"{tone} columns, where many rows rest on one token."
    )
    faint = " Faint weights are drawn a little stronger here."
    return how + ("" if scene.view.changed else notice) + faint


def literal(sentence: str) -> str:
    """A sentence that may quote the reader's own text, for Streamlit's messages: no markup in it works."""
    return safe_label(sentence, limit=len(sentence) + 1)


def role(letter: str, text: str) -> str:
    """A word in a role's colour: q, k, v or z."""
    return f'<span class="{letter}">{text}</span>'


def named(scene: Scene, position: int) -> str:
    """A token as a sentence names it; a word that occurs twice carries its position."""
    return f"<bdi>{html.escape(numbered(scene.texts)[position])}</bdi>"


def mixes(scene: Scene) -> str:
    """The row of the query in focus, in a sentence."""
    row, query = scene.head.weights[scene.query], role("q", named(scene, scene.query))
    where = f"In L{scene.view.layer} H{scene.view.head}, {query}"
    if not scene.head.allowed[scene.query].any():
        return f"{where} sees nothing: every key is masked, so its weights are 0."
    n_open = int(scene.head.allowed[scene.query].sum())
    largest = [int(at) for at in (-row).argsort(kind="stable")[:3] if row[at] >= 0.05]
    if not largest:
        return f"{where} mixes all {n_open} tokens it may see, none above 0.05."
    listed = ", ".join(f"{role('k', named(scene, at))} {row[at]:.2f}" for at in largest)
    rest, others = 1 - float(row[largest].sum()), n_open - len(largest)
    if rest < 0.005 or not others:
        return f"{where} mixes {listed}."
    shares = "token has" if others == 1 else f"{others} tokens share"
    return f"{where} mixes mostly {listed}. The other {shares} {rest:.2f}."


def steps_caption(scene: Scene) -> str:
    """How to read the strip of steps."""
    query, key = role("q", named(scene, scene.query)), role("k", named(scene, scene.key))
    return (
        f"The blue line is {query}: from its vector, through its scores against every key, to the mix it "
        f"takes away. The red row is the key {key}. Click any cell to follow another pair. "
        "A <b>score</b> can be negative (amber above zero, steel below); a <b>weight</b> is a share of 1. "
        "In Q, K, V and Z grey is below zero."
    )


def cell_title(scene: Scene) -> str:
    """Who looks at whom."""
    query, key = role("q", named(scene, scene.query)), role("k", named(scene, scene.key))
    return f"{query} looks at {key}"


def products_caption(scene: Scene) -> str:
    """What the bars are."""
    n = scene.head.queries.shape[1]
    one = "1 product of query and key" if n == 1 else f"{n} products of query and key, one per dimension"
    notice = " <b>Notice</b> which of them carry the sum." if n > 8 else ""
    return f"{one}.{notice}"


def mix_caption(scene: Scene) -> str:
    """What the table of values is."""
    query = role("q", named(scene, scene.query))
    return (
        f"What {query} takes away: each {role('v', 'value')} times its weight, added into the "
        f"{role('z', 'output')}."
    )


def projection_caption(scene: Scene, side: str, column: int) -> str:
    """How one entry of q, k or v comes about."""
    letter = {"query": "q", "key": "k", "value": "v"}[side]
    at = scene.query if side == "query" else scene.key
    token, upper = role(letter, named(scene, at)), letter.upper()
    bias = {"q": "b_q", "k": "b_k", "v": "b_v"}[letter]
    plus = "" if getattr(scene.trace.params, bias) is None else " + b"
    return (
        f"One set of numbers serves all positions: x · W<sub>{upper}</sub>{plus} = {letter}. Here is entry "
        f"{column} of {letter} for {token}: its vector x times that column of W<sub>{upper}</sub>, added up."
    )


def turning_caption(scene: Scene, side: str) -> str:
    """What happens to a query or a key between its projection and its score."""
    letter = {"query": "q", "key": "k"}[side]
    at = scene.query if side == "query" else scene.key
    token = role(letter, named(scene, at))
    turn = (
        " Turning pairs of channels by an angle that grows with the position (RoPE) keeps the vector's "
        "length; a score then depends on the distance alone."
        if scene.trace.has_rotation
        else ""
    )
    return f"The {'query' if side == 'query' else 'key'} of {token} on its way to the scores.{turn}"


def group_note(scene: Scene) -> str:
    """Which heads share keys and values with the chosen one; nothing where none does."""
    config, head = scene.trace.config, scene.view.head
    size = config.n_heads // config.n_kv_heads
    if size == 1:
        return ""
    group = head // size
    return f" · kv head {group}, shared by H{group * size}–H{group * size + size - 1}"


def sink_note(scene: Scene) -> str:
    """A sentence where a head rests on the first token; nothing where it does not."""
    share = on_first_token(scene.trace.head(scene.view.head).weights[0])
    if share is None or share < 0.5:
        return ""
    return (
        f"The first token gets {share:.0%} of the later rows' weight: many heads of such models rest there. "
        "It can be hidden in the sidebar."
    )


def parts_of(rule: MaskRule) -> tuple[MaskRule, ...]:
    """The simple rules of a conjunction."""
    return (*parts_of(rule.left), *parts_of(rule.right)) if isinstance(rule, And) else (rule,)


def reach(rule: MaskRule) -> str:
    """How far a layer sees: "local, 512 tokens back" or "global"."""
    windows = [part for part in parts_of(rule) if isinstance(part, Window)]
    return f"local, {windows[0].before + 1} tokens back" if windows else "global"


def window_note(scene: Scene) -> str:
    """A sentence where the model's own window hides nothing in so short a text."""
    windows = [rule for rule in parts_of(scene.trace.config.own_mask) if isinstance(rule, Window)]
    n = len(scene.run.tokens)
    if not windows or windows[0].before + 1 < n:
        return ""
    return (
        f"This layer sees {windows[0].before + 1} tokens back. In a text of {n} that hides nothing; a "
        "shorter window in the sidebar shows what if."
    )
