"""One token's way through every layer, measured once and shared, and as charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import streamlit as st

from attention.analysis.block import Kind
from attention.analysis.journey import Door, Journey, Step, doors, journey
from attention.figures.block_layout import Block, Sublayer
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.run import Run
from attention.sites import Site
from attention.ui.asked import Asked
from attention.ui.stores import Store

_MOST_BYTES = 64 * 2**20
_FACTOR = 30

NAMES: Mapping[Kind, str] = {
    "attention": "attention",
    "cross": "cross-attention",
    "mlp": "the MLP",
}
ROLES: Mapping[Kind, SeriesRole] = {
    "attention": "weight",
    "cross": "primary",
    "mlp": "ink",
}


@dataclass(frozen=True)
class Way:
    """One token's way through a stack.

    Attributes:
        steps: Every change to its stream, in order.
        doors: Its stream at each layer's door and after the last layer.
    """

    steps: tuple[Step, ...]
    doors: tuple[Door, ...]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The sublayers that write to the stream, in the order of a layer."""
        return tuple(dict.fromkeys(step.kind for step in self.steps if step.kind != "norm"))

    @property
    def n_layers(self) -> int:
        """Layers of the stack."""
        return len(self.doors) - 1

    @property
    def sharpest(self) -> int | None:
        """The layer that turns the stream most; None where none has a direction before and after."""
        turned = [
            (door.to_last, layer) for layer, door in enumerate(self.doors[1:]) if door.to_last is not None
        ]
        return min(turned)[1] if turned else None

    def of(self, kind: Kind) -> tuple[Step, ...]:
        """What one kind of sublayer does, layer by layer."""
        return tuple(step for step in self.steps if step.kind == kind)

    def normed(self, kind: Kind) -> tuple[Step, ...]:
        """What the norms on the stream do right after one kind of sublayer, layer by layer."""
        return tuple(
            after for step, after in pairwise(self.steps) if step.kind == kind and after.kind == "norm"
        )

    def added(self, kind: Kind) -> float:
        """The lengths of all that one kind adds, together."""
        return math.fsum(step.written for step in self.of(kind))

    def most(self, kind: Kind) -> int:
        """The layer where one kind adds most."""
        return max(self.of(kind), key=lambda step: step.written).layer


@st.cache_resource(show_spinner=False)
def _kept() -> Store[tuple[Asked, Site], Journey]:
    """All tokens of a run at once, so that going to another one costs nothing."""
    return Store(_MOST_BYTES, lambda journey: journey.measures.nbytes, model=lambda key: key[0].model)


def way(asked: Asked, site: Site, run: Run, position: int) -> Way:
    """One token's way.

    Args:
        asked: What was run.
        site: Whose stack is looked at: an encoder's, or the model's own.
        run: The run of that stack.
        position: Which token.

    Raises:
        InputError: There is no such position.
    """
    made = _kept().once((asked, site), lambda: journey(run))
    return Way(steps=made.of(position), doors=doors(run, position))


def lengths(of: Way) -> Chart:
    """How long the stream is at each door, and what is added on the way."""
    n = of.n_layers
    added = [
        Series(
            f"{NAMES[kind]} adds",
            range(n),
            [step.written for step in of.of(kind)],
            role=ROLES[kind],
            mark="both",
        )
        for kind in of.kinds
    ]
    stream = [door.length for door in of.doors[:-1]]
    return Chart(
        title="What is added in each layer",
        x=Axis("layer", labels=_layers(n)),
        y=_up("length (L2)", [*stream, *_values(added)]),
        series=(Series("the stream as it comes in", range(n), stream, role="text2", mark="both"), *added),
    )


TO_START, TO_LAST = "stream and embedding", "stream after and before"


def and_stream(kind: Kind) -> str:
    """What the cosine of an addition with the stream is called."""
    return f"{NAMES[kind]} and stream"


def cosines(of: Way) -> Chart:
    """How the stream turns: against the embedding, from layer to layer, and what each addition does to it."""
    n = of.n_layers
    along = [
        Series(
            and_stream(kind),
            range(n),
            [_number(step.along) for step in of.of(kind)],
            role=ROLES[kind],
            mark="both",
        )
        for kind in of.kinds
    ]
    to_start = [_number(door.to_start) for door in of.doors[1:]]
    to_last = [_number(door.to_last) for door in of.doors[1:]]
    return Chart(
        title="How the stream turns",
        x=Axis("layer", labels=_layers(n)),
        y=Axis("cosine", range=(-1.05, 1.05)),
        series=(
            Series(TO_START, range(n), to_start, role="text2", mark="both"),
            Series(TO_LAST, range(n), to_last, role="output", mark="both"),
            *along,
        ),
    )


def norms(of: Way, block: Block) -> Chart | None:
    """By what factor each norm changes a length; None for a model without norms.

    Args:
        of: The way.
        block: A layer of the stack, whose norms all layers have.
    """
    series = [one for part in block.sublayers for one in _norms_of(of, part)]
    if not series:
        return None
    return Chart(
        title="What the norms do",
        x=Axis("layer", labels=_layers(of.n_layers)),
        y=_up("length after the norm ÷ before", _values(series)),
        series=tuple(series),
    )


def _norms_of(of: Way, part: Sublayer) -> Iterator[Series]:
    """The norms of one sublayer: of what it reads, of what it makes, and of the sum."""
    steps, name = of.of(part.kind), NAMES[part.kind]
    if part.before:
        yield _factors(f"before {name}", part.kind, [(step.read, step.source) for step in steps])
    if part.after_sublayer:
        yield _factors(f"of what {name} makes", part.kind, [(step.written, step.made) for step in steps])
    if part.after_add:
        sums = [(step.after, step.before) for step in of.normed(part.kind)]
        yield _factors(f"on the stream, after {name}", part.kind, sums)


def _factors(name: str, kind: Kind, pairs: Sequence[tuple[float | None, float | None]]) -> Series:
    factors = [after / before if after is not None and before else math.nan for after, before in pairs]
    return Series(name, range(len(factors)), factors, role=ROLES[kind], mark="both")


def _layers(n: int) -> tuple[str, ...]:
    return tuple(f"L{layer}" for layer in range(n))


def _number(cosine: float | None) -> float:
    return math.nan if cosine is None else cosine


def _up(title: str, values: Sequence[float]) -> Axis:
    """From zero; logarithmic where small numbers would vanish, as some streams grow a thousandfold."""
    seen = [value for value in values if value > 0] or [1.0]
    if max(seen) > _FACTOR * min(seen):
        return Axis(title, log=True)
    return Axis(title, range=(0.0, 1.08 * max(seen)))


def _values(series: Sequence[Series]) -> list[float]:
    return [float(value) for one in series for value in one.y]
