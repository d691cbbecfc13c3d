"""What Explore's captions say about the head on screen: sentences with the reader's own tokens in them."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attention.engine.masks import Window
from attention.figures.labels import numbered
from attention.ui.between import Light, axes, between_words, word_row
from attention.ui.words import KINDS, LOCAL, parts_of, reach, role

if TYPE_CHECKING:
    from attention.ui.scene import Scene


def sheet_caption(scene: Scene, theme: str) -> str:
    """How to read the sheet, and, while nothing is changed, what to look for on it."""
    faint = " Faint weights are drawn a little stronger here."
    faint += _rings(scene)
    if scene.crossing:
        return f"Each square is one head: rows are tokens of the target, columns those of the source.{faint}"
    how = "Each square is one head reading the whole sentence: rows look, columns are looked at."
    tone = "dark" if theme == "light" else "bright"
    notice = (
        " <b>Notice</b> diagonals, where tokens look at their neighbours, and single "
        f"{tone} columns, where many rows rest on one token."
    )
    return how + ("" if scene.view.changed else notice) + faint


def reaches(scene: Scene) -> tuple[str, ...]:
    """How far each layer sees; nothing where all of them see alike."""
    own = [scene.site.config(layer).own_mask for layer in range(scene.site.n_layers)]
    return tuple(reach(rule) for rule in own) if len(set(own)) > 1 else ("",) * len(own)


def local_layers(scene: Scene) -> tuple[int, ...]:
    """The layers that see only so far, where others see everything before them."""
    return tuple(layer for layer, words in enumerate(reaches(scene)) if words.startswith(LOCAL))


def _rings(scene: Scene) -> str:
    """What a ring beside a layer means."""
    marked, far = local_layers(scene), reaches(scene)
    if not marked:
        return ""
    seen = far[marked[0]].removeprefix(f"{LOCAL}, ")
    return f" <b>○</b> marks {LOCAL} layers, which see {seen}; the others see everything before a token."


def query_name(scene: Scene) -> str:
    """The query in focus as a sentence names it; a word that occurs twice carries its position."""
    return role("q", _named(scene.query_texts, scene.query))


def key_name(scene: Scene, position: int | None = None) -> str:
    """A key as a sentence names it: the one in focus, or one at a position."""
    return role("k", _named(scene.key_texts, scene.key if position is None else position))


def _named(texts: Sequence[str], position: int) -> str:
    return isolated(numbered(texts)[position])


def isolated(name: str) -> str:
    """A token's name whose direction of writing is its own."""
    return f"<bdi>{html.escape(name)}</bdi>"


def mixes(scene: Scene) -> str:
    """The row of the query in focus, in a sentence; between words where their pieces are put together."""
    unit = "word" if between_words(scene) else "token"
    row, allowed = _row(scene)
    query, names = _names_of_row(scene)
    where = f"In L{scene.view.layer} H{scene.view.head}, {role('q', isolated(query))}"
    if not allowed.any():
        return f"{where} sees nothing: every key is masked, so its weights are 0."
    n_open = int(allowed.sum())
    largest = [int(at) for at in (-row).argsort(kind="stable")[:3] if row[at] >= 0.05]
    if not largest:
        return f"{where} mixes all {n_open} {unit}s it may see, none above 0.05."
    listed = ", ".join(f"{role('k', isolated(names[at]))} {row[at]:.2f}" for at in largest)
    rest, others = 1 - float(row[largest].sum()), n_open - len(largest)
    if rest < 0.005 or not others:
        return f"{where} mixes {listed}."
    shares = f"{unit} has" if others == 1 else f"{others} {unit}s share"
    return f"{where} mixes mostly {listed}. The other {shares} {rest:.2f}."


def _row(scene: Scene) -> Light:
    if between_words(scene):
        return word_row(scene)
    return scene.head.weights[scene.row], scene.head.allowed[scene.row]


def _names_of_row(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """What looks, and all that is looked at."""
    if between_words(scene):
        queries, keys = axes(scene)
        return queries.numbered()[queries.at(scene.query)], keys.numbered()
    return numbered(scene.query_texts)[scene.query], numbered(scene.key_texts)


def steps_caption(scene: Scene) -> str:
    """How to read the strip of steps."""
    query, key = query_name(scene), key_name(scene)
    memory = (
        " M is what the encoder made of the source; keys and values come from it." if scene.crossing else ""
    )
    return (
        f"The blue line is {query}: from its vector, through its scores against every key, to the mix it "
        f"takes away. The red row is the key {key}. Click any cell to follow another pair. "
        "A <b>score</b> can be negative (amber above zero, steel below); a <b>weight</b> is a share of 1. "
        f"In Q, K, V and Z grey is below zero.{memory}"
    )


def kind(scene: Scene) -> str:
    """Which attention this is, where the model has several; nothing where it has one."""
    return KINDS[scene.view.site] if len(scene.run.sites) > 1 else ""


def cell_title(scene: Scene) -> str:
    """Who looks at whom."""
    query, key = query_name(scene), key_name(scene)
    return f"{query} looks at {key}"


def products_caption(scene: Scene) -> str:
    """What the bars are."""
    n = scene.head.queries.shape[1]
    one = "1 product of query and key" if n == 1 else f"{n} products of query and key, one per dimension"
    notice = " <b>Notice</b> which of them carry the sum." if n > 8 else ""
    return f"{one}.{notice}"


def mix_caption(scene: Scene) -> str:
    """What the table of values is."""
    query = query_name(scene)
    return (
        f"What {query} takes away: each {role('v', 'value')} times its weight, added into the "
        f"{role('z', 'output')}."
    )


def projection_caption(scene: Scene, side: str, column: int) -> str:
    """How one entry of q, k or v comes about."""
    letter = {"query": "q", "key": "k", "value": "v"}[side]
    token, upper = _in_focus(scene, letter), letter.upper()
    bias = {"q": "b_q", "k": "b_k", "v": "b_v"}[letter]
    plus = "" if getattr(scene.trace.params, bias) is None else " + b"
    return (
        f"One set of numbers serves all positions: x · W<sub>{upper}</sub>{plus} = {letter}. Here is entry "
        f"{column} of {letter} for {token}: its vector x times that column of W<sub>{upper}</sub>, added up."
    )


def _in_focus(scene: Scene, letter: str) -> str:
    """The token whose q, k or v is meant."""
    if letter == "q":
        return query_name(scene)
    return role(letter, _named(scene.key_texts, scene.key))


def turning_caption(scene: Scene, side: str) -> str:
    """What happens to a query or a key between its projection and its score."""
    letter = {"query": "q", "key": "k"}[side]
    token = _in_focus(scene, letter)
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
    if scene.crossing:
        return ""
    share = scene.sums.on_first
    if share is None or share < 0.5:
        return ""
    return (
        f"The first token gets {share:.0%} of the later rows' weight: many heads of such models rest there. "
        "It can be hidden in the sidebar."
    )


def window_note(scene: Scene) -> str:
    """A sentence where the model's own window hides nothing in so short a text."""
    windows = [rule for rule in parts_of(scene.trace.config.own_mask) if isinstance(rule, Window)]
    n = len(scene.site.keys)
    if not windows or windows[0].before + 1 < n:
        return ""
    return (
        f"This layer sees the last {windows[0].before + 1} tokens. In a text of {n} that hides nothing; a "
        "shorter window in the sidebar shows what if."
    )
