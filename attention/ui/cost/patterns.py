"""Sparse patterns on a head of the reader's sentence: what each saves, and what the head had put there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attention.analysis.cost_patterns import Kept, kept
from attention.engine.masks import (
    BlockLocal,
    Dilated,
    Fixed,
    Global,
    MaskRule,
    Random,
    Strided,
    Window,
)
from attention.engine.trace import AttentionTrace
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid


@dataclass(frozen=True)
class Pattern:
    """A published pattern.

    Attributes:
        name: As the page calls it.
        short: The same below a bar.
        rule: The mask for a reach and a number of tokens.
    """

    name: str
    short: str
    rule: Callable[[int, int], MaskRule]


def _longformer(reach: int, _: int) -> MaskRule:
    return Window(reach, reach) | Global({0})


def _bigbird(reach: int, n_tokens: int) -> MaskRule:
    near = _longformer(reach, n_tokens)
    return near | Random(links=min(reach, n_tokens), n_keys=n_tokens, beside=near)


PATTERNS: Mapping[str, Pattern] = {
    "window": Pattern("Sliding window", "window", lambda reach, _: Window(reach, reach)),
    "causal": Pattern("Causal sliding window", "causal window", lambda reach, _: Window(reach, 0)),
    "dilated": Pattern("Dilated window", "dilated", lambda reach, _: Dilated(reach, 2)),
    "blocks": Pattern("Blocks", "blocks", lambda reach, _: BlockLocal(2 * reach)),
    "longformer": Pattern("Window + first token global (Longformer)", "Longformer", _longformer),
    "bigbird": Pattern("Window + global + random links (BigBird)", "BigBird", _bigbird),
    "strided": Pattern(
        "Strided, causal (Sparse Transformer)", "strided", lambda reach, _: Strided(2 * reach)
    ),
    "fixed": Pattern("Fixed, causal (Sparse Transformer)", "fixed", lambda reach, _: Fixed(2 * reach, 1)),
}


def every_kept(one: AttentionTrace, reach: int, n_real: int) -> Mapping[str, Kept]:
    """What each pattern leaves of one head, over the queries that are not padding; empty if all are blind."""
    found = {name: kept(one, pattern.rule(reach, one.n_keys), n_real) for name, pattern in PATTERNS.items()}
    return {name: left for name, left in found.items() if left is not None}


def saved_and_lost(every: Mapping[str, Kept], head_name: str) -> Chart:
    """Cells and weight that are left, side by side."""
    places = range(len(every))
    return Chart(
        title=f"Arithmetic kept, and weight kept, {head_name}",
        x=Axis("pattern", labels=tuple(PATTERNS[name].short for name in every)),
        y=Axis("share kept", range=(0.0, 1.05)),
        series=(
            Series("of the cells", places, [one.cells for one in every.values()], "text2", "bars"),
            Series(
                "of the attention weight", places, [one.weight for one in every.values()], "weight", "bars"
            ),
            Series("by an even head", places, [one.chance for one in every.values()], "ink", "points"),
        ),
    )


def what_is_cut(
    one: AttentionTrace, found: Kept, name: str, texts: tuple[Sequence[str], Sequence[str]], query: int
) -> Grid:
    """The head's own weights, hatched where the pattern cuts.

    Args:
        one: A trace of one head.
        found: What the pattern leaves of it.
        name: The pattern's.
        texts: Tokens of the queries and of the keys.
        query: The query in focus.
    """
    return Grid(
        title=PATTERNS[name].name,
        values=one.weights[0].numpy(),
        rows=tuple(texts[0]),
        columns=tuple(texts[1]),
        row_title="query, looks",
        column_title="key, looked at",
        scale="weights",
        allowed=found.allowed.numpy(),
        note="hatched: not computed",
        focus_row=query,
    )
