"""One token's way through every layer, measured once and shared, and as charts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from attention.analysis.block import Door, Kind, Step, doors, journey
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.run import Run
from attention.sites import Site
from attention.ui.cache import Asked
from attention.ui.stores import Store

_MOST_KEPT = 256

NAMES: Mapping[Kind, str] = {
    "attention": "attention",
    "cross": "cross-attention",
    "mlp": "the MLP",
    "norm": "the norms on the stream",
}
ROLES: Mapping[Kind, SeriesRole] = {
    "attention": "weight",
    "cross": "primary",
    "mlp": "ink",
    "norm": "masked",
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
        """What changes the stream, in the order of a layer."""
        return tuple(dict.fromkeys(step.kind for step in self.steps))

    @property
    def n_layers(self) -> int:
        """Layers of the stack."""
        return len(self.doors) - 1

    def of(self, kind: Kind) -> list[list[Step]]:
        """The changes of one kind, layer by layer."""
        return [
            [step for step in self.steps if step.layer == layer and step.kind == kind]
            for layer in range(self.n_layers)
        ]

    def added(self, kind: Kind) -> float:
        """The lengths of all that one kind adds, together."""
        return sum(step.written for step in self.steps if step.kind == kind)

    def most(self, kind: Kind) -> int:
        """The layer where one kind adds most."""
        return max((step for step in self.steps if step.kind == kind), key=lambda step: step.written).layer


@st.cache_resource(show_spinner=False)
def _kept() -> Store[tuple[Asked, Site, int], Way]:
    """Some kilobytes a token."""
    return Store(_MOST_KEPT, lambda _: 1)


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
    key = (asked, site, position)
    return _kept().once(key, lambda: Way(steps=journey(run, position), doors=doors(run, position)))


def lengths(of: Way) -> Chart:
    """How long the stream is at each door, and what is added on the way."""
    n = of.n_layers
    added = [
        Series(
            f"{NAMES[kind]} {'change' if kind == 'norm' else 'adds'}",
            range(n),
            [math.fsum(step.written for step in steps) if steps else math.nan for steps in of.of(kind)],
            role=ROLES[kind],
            mark="both",
        )
        for kind in of.kinds
    ]
    stream = [door.length for door in of.doors[:-1]]
    return Chart(
        title="What is added in each layer",
        x=Axis("layer", labels=_layers(n)),
        y=Axis("length (L2)", log=_wide(stream, added)),
        series=(Series("the stream as it comes in", range(n), stream, role="text2", mark="both"), *added),
        note="A change of the norms counts as long as the difference it makes." if "norm" in of.kinds else "",
    )


def cosines(of: Way) -> Chart:
    """How the stream turns: against the embedding, from layer to layer, and what each addition does to it."""
    n = of.n_layers
    along = [
        Series(
            f"{NAMES[kind]}: along the stream",
            range(n),
            [_number(steps[0].along) if steps else math.nan for steps in of.of(kind)],
            role=ROLES[kind],
            mark="both",
        )
        for kind in of.kinds
        if kind != "norm"
    ]
    to_start = [_number(door.to_start) for door in of.doors[1:]]
    to_last = [_number(door.to_last) for door in of.doors[1:]]
    return Chart(
        title="How the stream turns",
        x=Axis("layer", labels=_layers(n)),
        y=Axis("cosine", range=(-1.05, 1.05)),
        series=(
            Series("stream after, with the embedding", range(n), to_start, role="text2", mark="both"),
            Series("stream after, with before", range(n), to_last, role="primary", mark="both"),
            *along,
        ),
    )


def _layers(n: int) -> tuple[str, ...]:
    return tuple(f"L{layer}" for layer in range(n))


def _number(cosine: float | None) -> float:
    return math.nan if cosine is None else cosine


def _wide(stream: Sequence[float], added: Sequence[Series]) -> bool:
    """Whether lengths differ so much that small ones would vanish: some streams grow a thousandfold."""
    every = [length for length in (*stream, *(float(y) for one in added for y in one.y)) if length > 0]
    return bool(every) and max(every) > 30 * min(every)
