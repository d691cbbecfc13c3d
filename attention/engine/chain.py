"""The steps with two position axes, all of them at once, each made from the one before."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain(AttentionTrace):
    """The same trace, except that it keeps every step once read.

    A trace makes a step anew from its queries and keys whenever it is read. Whoever wants all of them of a
    head or a few rows reads them here, and each is made once.
    """


def _kept(name: str) -> cached_property[Any]:
    return cached_property(lambda made: getattr(AttentionTrace, name).fget(made))


# What each step is made of is said by the trace alone.
for _name in ("scores", "scaled", "capped", "biased", "mask", "masked", "weights", "head_outputs", "output"):
    setattr(Chain, _name, _kept(_name))
    Chain.__dict__[_name].__set_name__(Chain, _name)


def chain(trace: AttentionTrace) -> Chain:
    """All steps of a trace. They take memory that grows with queries × keys × heads."""
    made = Chain(**{field.name: getattr(trace, field.name) for field in fields(trace)})
    made.__dict__.update(trace.__dict__)  # the queries, keys and values it has kept already
    return made
