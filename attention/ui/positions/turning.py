"""One query and one key that turn: the open model's own, or drawn ones where it turns none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import drawn_pair
from attention.analysis.words import words
from attention.engine.heads import Heads
from attention.engine.positions import Rotary
from attention.errors import InputError
from attention.figures.labels import numbered
from attention.run import Run
from attention.ui.chips import label
from attention.ui.facts import of_model
from attention.ui.positions.choices import PositionsChoices

SEED, REACH = 0, 48
DRAWN = Rotary(base=10000.0, n_channels=16)
QUERY_AT = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class Turning:
    """One query and one key.

    Attributes:
        rotary: How they turn.
        query: The query before its turn.
        key: The key before its turn.
        query_at: Where the query stands.
        key_at: Where the key stands.
        facts: What they are, for files.
        heads: All queries and keys of their head, where they are a model's.
        tokens: The tokens they belong to.
    """

    rotary: Rotary
    query: Float[Tensor, " d_head"]
    key: Float[Tensor, " d_head"]
    query_at: int
    key_at: int
    facts: dict[str, str]
    heads: Heads | None = None
    tokens: tuple[str, ...] = ()

    @property
    def distance(self) -> int:
        """How many places the key stands before the query."""
        return self.query_at - self.key_at


def drawn(choices: PositionsChoices) -> Turning:
    """A query and a key of random numbers, at the positions that are chosen."""
    query, key = drawn_pair(SEED, DRAWN.n_channels)
    return Turning(
        rotary=DRAWN,
        query=query,
        key=key,
        query_at=QUERY_AT if choices.query is None else choices.query,
        key_at=choices.key or 0,
        facts={"query and key": f"drawn at random, seed {SEED}", "base": f"{DRAWN.base:g}"},
    )


def fitted(choices: PositionsChoices, run: Run) -> tuple[PositionsChoices, tuple[str, ...]]:
    """The choices without a layer, a head or a position that the run does not have, and what that was."""
    counts = {"layer": run.n_layers, "head": run.n_heads, "query": len(run.tokens), "key": len(run.tokens)}
    told, start = [], PositionsChoices()
    for name, count in counts.items():
        chosen = getattr(choices, name)
        if chosen is None or chosen < count:
            continue
        whose = "the sentence has" if name in ("query", "key") else "the model has"
        told.append(f"There is no {name} {chosen}: {whose} {count} (0–{count - 1}).")
        choices = replace(choices, **{name: getattr(start, name)})
    return choices, tuple(told)


def _last_word(run: Run) -> int:
    """Where the last word begins; the last token where there is none."""
    found = words(run.tokens)
    return found[-1][0] if found else len(run.tokens) - 1


def real(run: Run, choices: PositionsChoices) -> Turning:
    """A query and a key of one head of a run, before they turn.

    Args:
        run: Of a model that turns queries and keys.
        choices: As ``fitted`` gives them.

    Raises:
        InputError: This one layer does not turn them.
    """
    heads = run.attention(choices.layer).head(choices.head)
    rotary = heads.config.rotary
    if rotary is None:
        raise InputError(f"Layer {choices.layer} of {run.model.name} does not turn queries and keys.")
    tokens = numbered([label(token) for token in run.tokens])
    query = _last_word(run) if choices.query is None else choices.query
    key = choices.key or 0
    return Turning(
        rotary=rotary,
        query=heads.normed_queries[0, query],
        key=heads.normed_keys[0, key],
        query_at=query,
        key_at=key,
        heads=heads,
        tokens=tokens,
        facts={
            **of_model(run.model, layer=choices.layer, head=choices.head),
            "tokens": " ".join(tokens),
            "query and key": f"{tokens[query]} ({query}), {tokens[key]} ({key})",
            "base": f"{rotary.base:g}",
        },
    )
