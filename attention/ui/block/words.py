"""What the page says, from the numbers it shows."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence

from attention.analysis.bits import in_bits
from attention.analysis.block import Kind
from attention.analysis.journey import Step
from attention.analysis.merging import Part, WideHead
from attention.analysis.scaling import spread
from attention.figures.block_layout import Block
from attention.figures.labels import numbered
from attention.figures.numbers import exact, percent, share, signed
from attention.ui.block import heads
from attention.ui.block.way import NAMES, TO_LAST, TO_START, Way, and_stream
from attention.ui.scene import Scene

TITLE = "Is attention all there is?"
LINE = "one token through every layer: what attention adds, what the MLP adds, what the norms do"

PROSE = (
    r"Every layer writes to a token’s vector: $x + \mathrm{attention} + \mathrm{MLP}$. Attention adds what "
    r"other tokens give, the MLP what the token makes of itself."
)

ROWS: Mapping[Kind, str] = {
    "attention": "attention",
    "cross": "cross-attention",
    "mlp": "MLP",
    "norm": "norm on the stream",
}


def token(of: Scene) -> str:
    """The token in focus, by its name and place."""
    return f'<span class="q"><bdi>{html.escape(numbered(of.query_texts)[of.query])}</bdi></span>'


def point(of: Scene, way: Way) -> str:
    """Who writes how much to this token's stream."""
    added = {kind: way.added(kind) for kind in way.kinds}
    total = math.fsum(added.values())
    if len(added) < 2 or not total:
        return f"All that is added to {token(of)} here comes from attention: this model has no MLP."
    shares = [f"<b>{percent(length / total)}</b> from {NAMES[kind]}" for kind, length in added.items()]
    shares[0] = shares[0].replace("from", "come from", 1)
    lengths = [f"{length:,.1f}" for length in added.values()]
    return (
        f"Of what the {way.n_layers} layers add to {token(of)}, {_both(shares)} (lengths added up: "
        f"{_both(lengths)})."
    )


def _both(parts: Sequence[str]) -> str:
    """The parts as a sentence lists them."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def lengths_caption(way: Way) -> str:
    """What to notice in the lengths."""
    first, last = way.doors[0].length, way.doors[-1].length
    notice = " <b>Notice</b> how unlike the layers are in what they add." if way.n_layers > 1 else ""
    return f"The stream is {first:,.1f} long at first and {last:,.1f} after the last layer.{notice}"


def drawing_caption(block: Block) -> str:
    """What to notice in the drawing."""
    if not any(part.before or part.after_sublayer or part.after_add for part in block.sublayers):
        return "Attention is added to the stream. There is no norm here."
    return (
        "Attention is one part of a block. <b>Notice</b> where the norms stand: what is on the stream "
        "changes what every later layer reads, what is beside it only what its sublayer reads or writes."
    )


def norms_caption(block: Block) -> str:
    """What to notice in the factors: it depends on where the norms stand."""
    if any(part.after_add for part in block.sublayers):
        return (
            "The norms stand on the stream: each sum is set to a length anew. <b>Notice</b> the layers "
            "where a long addition is brought back."
        )
    normed = any(part.after_sublayer for part in block.sublayers)
    also = " What a sublayer makes is normed too, before it is added." if normed else ""
    return (
        "The norms stand beside the stream: what was added stays in it, and only what a sublayer reads is "
        f"set to a length.{also} <b>Notice</b> that the factors differ as the stream’s length does."
    )


def cosines_caption(way: Way) -> str:
    """How to read a cosine, and which layer to look at."""
    scale = "1 is the same direction, 0 a right angle, −1 the opposite."
    if way.sharpest is None:
        return scale
    kept = way.doors[way.sharpest + 1].to_last or 0.0
    return (
        f"{scale} <b>Notice</b> L{way.sharpest}, the layer that turns the stream most: {TO_LAST}, "
        f"<b>{signed(kept)}</b>."
    )


def turns(way: Way, layer: int) -> str:
    """Each of the cosines in one layer: its number, and what it compares."""
    door = way.doors[layer + 1]
    rows = [
        (
            TO_START,
            door.to_start,
            "after the layer, and as the token began: what is left of its first direction",
        ),
        (TO_LAST, door.to_last, "after the layer, and before it: how far the layer as a whole turned it"),
    ]
    rows += [
        (
            and_stream(kind),
            next(step.along for step in way.of(kind) if step.layer == layer),
            f"what {NAMES[kind]} adds, and what it is added to: more of the same (1), or something new (0)",
        )
        for kind in way.kinds
    ]
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{"none" if number is None else signed(number)}</td>'
        f"<td>{said}</td></tr>"
        for name, number, said in rows
    )
    head = f'<th scope="col">cosine of</th><th scope="col">in L{layer}</th><th scope="col">compares</th>'
    return f'<table class="turns"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def layer_point(of: Scene, steps: Sequence[Step]) -> str:
    """What the chosen layer does to the token, a sentence a change."""
    return f"In L{of.view.layer}, {token(of)} comes in <b>{exact(steps[0].before)}</b> long. " + " ".join(
        sentence for step in steps for sentence in _said(step)
    )


def _said(step: Step) -> Iterator[str]:
    if step.kind == "norm":
        yield f"The norm on the stream makes it {exact(step.after)}."
        return
    name = NAMES[step.kind]
    if step.made is not None and abs(step.made - step.written) > 1e-4 * step.made:
        yield f"What {name} makes is {exact(step.made)} long; its norm leaves {exact(step.written)} of it."
    yield f"{name[0].upper() + name[1:]} adds {exact(step.written)}; the stream is {exact(step.after)} then."


def chain(steps: Sequence[Step], difference: float) -> str:
    """The same as a table, with how far the additions are from the layer's step."""
    head = "".join(f'<th scope="col">{name}</th>' for name in CHAIN)
    rows = "".join(_row(ROWS[step.kind], cells(step)) for step in steps)
    came = _row(CAME_IN, came_in(steps))
    return (
        '<div class="sideways"><table class="chain">'
        "<caption>Lengths and cosines of one layer’s changes</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{came}{rows}</tbody></table></div>"
        '<div class="cap">Lengths are L2. “Along the stream” is the cosine of what is added with the stream '
        "it is added to, “direction kept” that of the stream after with before. Added up, the changes of all "
        f"tokens differ from the step of the forward pass by <b>{share(difference)}</b> at most.</div>"
    )


CHAIN = ("reads", "makes", "adds", "along the stream", "stream after", "direction kept")
"""The columns of that table."""

CAME_IN = "as it comes in"


def came_in(steps: Sequence[Step]) -> tuple[float | None, ...]:
    """Its first row: the stream before any change."""
    return (None, None, None, None, steps[0].before, None)


def cells(step: Step) -> tuple[float | None, ...]:
    """The row of one change; None where there is nothing to measure."""
    return (step.read, step.made, step.written, step.along, step.after, step.kept)


def _row(name: str, numbers: Sequence[float | None]) -> str:
    written = "".join(f"<td>{'' if number is None else signed(number)}</td>" for number in numbers)
    return f'<tr><th scope="row">{name}</th>{written}</tr>'


def heads_caption(of: Scene) -> str:
    """What the heads' outputs are."""
    return (
        f"One row a head: what it mixed for {token(of)}. Put side by side they are one vector, and "
        "W<sub>O</sub> makes of it what attention adds. <b>Notice</b> that heads differ in how much they say."
    )


def shares_caption(parts: Sequence[Part], difference: float) -> str:
    """That heads add up, and which of them carries most."""
    known = [part for part in parts if part.share is not None]
    if not known:
        return "The output is zero: no head has mixed anything for it, and there is no bias."
    most = max(known, key=lambda part: part.share or 0.0)
    name = "the bias b<sub>O</sub>" if most.head is None else f"H{most.head}"
    bias = " and the bias" if any(part.head is None for part in parts) else ""
    return (
        f"The largest share of the output lies along {name}: <b>{signed(most.share or 0.0)}</b>. Through "
        f"W<sub>O</sub> the heads are simply added: their parts{bias} differ from the forward pass’s output "
        f"by <b>{share(difference)}</b> at most, over all tokens."
    )


_WIDE = "<b>Notice</b> how the heads’ rows differ. One wide head has a single row for all its values."


def wide_note(of: Scene, wide: WideHead) -> str:
    """What one wide head is, and what becomes of the output."""
    config, alike = of.trace.config, heads.likeness(of, wide)
    like = "" if alike is None else f" Its output would have cosine <b>{signed(alike)}</b> with the real one."
    return (
        f"What if all {config.n_heads} heads were one, with the same matrices? Scores add up, divided by "
        f"√{config.d_model}.{like} No model was trained this way."
    )


def wide_caption(of: Scene, wide: WideHead) -> str:
    """What one wide head loses: a row of weights for each of its parts."""
    strip = of.trace.rows(of.query, of.query + 1).weights[:, 0]
    if not strip.any():
        return f"{token(of)} sees nothing in this layer: neither several heads nor a wide one mix anything."
    tops = len(set(strip.argmax(dim=-1).tolist()))
    one, many = (
        signed(in_bits(spread(rows).entropy)) for rows in (wide.weights[of.query : of.query + 1], strip)
    )
    return (
        f"{_WIDE} For {token(of)} the heads’ largest weights lie on <b>{tops}</b> "
        f"{'token' if tops == 1 else 'different tokens'}; the single row has entropy <b>{one}</b> "
        f"bits, where the heads have <b>{many}</b> on average. It shows what several rows make "
        "possible, not what a model would learn."
    )


ONE_HEAD = "This layer has one head, so there is nothing to make one of. Other models have several."


def counted(n: int, what: str) -> str:
    """How many of a thing.

    >>> counted(1, "head"), counted(12, "head")
    ('1 head', '12 heads')
    """
    return f"{n} {what}{'' if n == 1 else 's'}"
