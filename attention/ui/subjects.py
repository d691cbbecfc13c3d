"""A view's pictures as values: what the page draws and what a file shows are made of the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from attention.analysis.bits import in_bits
from attention.analysis.mass import largest_until
from attention.analysis.moved import update_shares
from attention.checkpoints.tokens import Token
from attention.export.subjects import Subject, Table
from attention.figures.head_grid import HeadGrid, HeadNumbers
from attention.figures.lines import Lines, Strand
from attention.figures.lit_sentence import LitChip, LitSentence
from attention.figures.neurons import Neurons, shown
from attention.figures.picture import Picture
from attention.figures.step_strip import StepStrip, step_strip
from attention.figures.theme import Palette
from attention.ui import sheets
from attention.ui.between import Axis, axes, between_words, word_light
from attention.ui.captions import local_layers
from attention.ui.chips import chips
from attention.ui.overview import Sheet
from attention.ui.pictures import of_pieces, weights_among
from attention.ui.scene import Scene
from attention.ui.scene_steps import after_projection, between_steps, projection_text
from attention.ui.whole_words import in_words

What: TypeAlias = Literal["head", "sentence", "steps", "sheet"]

WHAT: Mapping[What, str] = {
    "head": "This head",
    "sentence": "Sentence",
    "steps": "Seven steps",
    "sheet": "All heads",
}


def on_screen(scene: Scene, what: What, drawn: Picture, palette: Palette) -> Subject:
    """One part of the page as it is shown now.

    Args:
        scene: The view.
        what: Which part.
        drawn: The chosen head's weights as shown.
        palette: The theme.
    """
    match what:
        case "sentence":
            return lit_sentence(scene)
        case "steps":
            return strip_of_steps(scene, palette)
        case "sheet":
            return head_grid(scene)
    match scene.view.view:
        case "lines":
            return lines(scene, drawn)
        case "neurons":
            return shown(neurons(scene, drawn))
        case "table":
            return Table(drawn)
    return drawn


def lines(scene: Scene, drawn: Picture) -> Lines:
    """The chosen head's lines and those of the heads beside it.

    Args:
        scene: The view.
        drawn: The chosen head's weights as shown: which tokens there are, and the marks.
    """
    view = scene.view
    heads = (view.head, *sorted(view.lines_heads - {view.head}))
    return Lines(
        strands=tuple(_strand(scene, drawn, head) for head in heads),
        allowed=drawn.allowed,
        query_tokens=drawn.query_tokens,
        key_tokens=drawn.key_tokens,
        query=drawn.query,
        key=drawn.key,
        lock=None if view.lines_lock == "none" else view.lines_lock,
        mass=view.lines_mass,
        block=view.lines_block,
        note=drawn.note,
    )


def _strand(scene: Scene, drawn: Picture, head: int) -> Strand:
    """One head's lines: the share of each row is taken first, then the block of the pair."""
    pieces = of_pieces(scene)
    weights = weights_among(scene, head, pieces.query_positions, pieces.key_positions)
    if scene.view.words:
        weights = in_words(replace(pieces, values=weights), scene.site.queries, scene.site.keys).values
    large = largest_until(torch.from_numpy(weights), scene.view.lines_mass / 100).numpy()
    return Strand(name=f"H{head}", weights=weights, drawn=large & _block(scene, drawn))


def _block(scene: Scene, drawn: Picture) -> NDArray[np.bool_]:
    """The cells of the chosen block of a pair: A is the first sentence, B the second."""
    block = scene.view.lines_block
    if block == "all":
        return np.ones(drawn.allowed.shape, dtype=np.bool_)
    queries = _in_sentence(scene.site.queries, drawn.query_positions, block[0])
    keys = _in_sentence(scene.site.keys, drawn.key_positions, block[1])
    both: NDArray[np.bool_] = queries[:, None] & keys[None, :]
    return both


def _in_sentence(tokens: Sequence[Token], positions: Sequence[int], which: str) -> NDArray[np.bool_]:
    return np.array([tokens[at].segment == "ab".index(which) for at in positions])


def neurons(scene: Scene, drawn: Picture) -> Neurons:
    """The query in focus against every key that is shown; weights are the model's own, never renormalised."""
    head, query, keys = scene.head, scene.row, list(drawn.key_positions)
    lengths = head.weights[query] * np.linalg.norm(head.values, axis=-1)
    return Neurons(
        query=head.queries[query],
        keys=head.keys[keys],
        scores=head.scores[query, keys],
        scaled=head.scaled[query, keys],
        weights=head.weights[query, keys],
        lengths=lengths[keys],
        allowed=head.allowed[query, keys],
        query_token=scene.query_texts[scene.query],
        query_position=scene.query,
        key_tokens=drawn.key_tokens,
        key_positions=drawn.key_positions,
        key=drawn.key,
        scale_text=scene.scale_text,
        n_keys=len(keys),
        between=tuple((step.name, step.scores[query, keys]) for step in between_steps(scene)),
    )


def lit_sentence(scene: Scene) -> LitSentence:
    """The tokens that are looked at, lit by the query in focus or by what each of them receives."""
    light, allowed = light_of_keys(scene)
    return LitSentence(
        chips=tuple(LitChip(chip.shown, chip.special, chip.joined) for chip in chips(scene.site.keys)),
        light=light,
        allowed=allowed,
        source=scene.view.light,
        query=None if scene.crossing else scene.query,
        key=scene.key,
        query_name=_query_name(scene),
        by_words=between_words(scene),
    )


def _query_name(scene: Scene) -> str:
    """The token in focus, or its word."""
    queries = axes(scene)[0]
    return queries.names[queries.at(scene.query)]


def light_of_keys(scene: Scene) -> tuple[NDArray[np.floating[Any]], NDArray[np.bool_]]:
    """How much light each key has, and whether it may have any.

    What a key receives is a mean over the queries that may see it, since a sum would favour early keys under
    a causal mask; rows of padding do not count.
    """
    if between_words(scene):
        return word_light(scene)
    if scene.view.light == "gives":
        return scene.head.weights[scene.row], scene.head.allowed[scene.row]
    got = scene.sums.received
    return np.array([share or 0.0 for share in got]), np.array([share is not None for share in got])


def strip_of_steps(scene: Scene, palette: Palette) -> StepStrip:
    """The chosen head's steps, for the pair in focus."""
    return step_strip(
        scene.head,
        tokens=scene.query_texts,
        key_tokens=scene.key_texts if scene.crossing else None,
        query=scene.query,
        key=scene.key,
        palette=palette,
        scale_text=scene.scale_text,
        weights_limit=_weights_limit(scene),
        between=between_steps(scene),
        share_of_layer=_share_of_layer(scene),
        projection_text=projection_text(scene),
        then=after_projection(scene),
        off=scene.view.head in scene.trace.heads_off,
    )


def _share_of_layer(scene: Scene) -> float:
    """How much of what the layer adds for the query is the head's; NaN where it adds nothing."""
    return float(update_shares(scene.trace.rows(scene.query, scene.query + 1))[scene.view.head, 0])


def _weights_limit(scene: Scene) -> float:
    """The weight at the end of the colours: the strip shows all tokens, hidden in the picture or not."""
    largest = float(scene.head.weights.max()) if scene.view.range == "head" else 1.0
    return largest if largest > 0 else 1.0


def head_grid(scene: Scene) -> HeadGrid:
    """All heads of this kind of attention."""
    how, (queries, keys) = sheets.drawn(scene.site, scene.view), axes(scene)
    sheet = sheets.sheet(scene.asked, scene.view.site, how)
    return HeadGrid(
        shades=sheet.shades,
        selected=(scene.view.layer, scene.view.head),
        heads_off=scene.view.heads_off,
        n_queries=len(queries.units),
        n_keys=len(keys.units),
        pool=how.pool,
        shade=how.shade,
        words=how.words,
        local=frozenset(local_layers(scene)),
        numbers=tuple(_numbers(sheet, at, axes(scene)) for at in np.ndindex(sheet.entropies.shape)),
    )


def _numbers(sheet: Sheet, at: tuple[int, ...], sides: tuple[Axis, Axis]) -> HeadNumbers:
    """One head of the sheet in numbers."""
    (layer, head), (queries, keys) = at, sides
    pair = sheet.strongest[layer][head]
    return HeadNumbers(
        layer=layer,
        head=head,
        entropy=in_bits(float(sheet.entropies[layer, head])),
        query=queries.named(pair.query) if pair.weight else "",
        key=keys.named(pair.key) if pair.weight else "",
        weight=pair.weight,
    )
