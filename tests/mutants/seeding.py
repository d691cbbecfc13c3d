"""How a mistake is seeded: each function gives one that takes pytest's monkeypatch."""

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import torch

from attention.engine import kernel, layer, steps, trace
from attention.families.source import Source


@dataclass(frozen=True)
class Mutant:
    """A mistake, and what a family must be asked for it to show (left out: its fullest case)."""

    seed: object
    asked: str | None = None


def tensors(pattern, change):
    """Every tensor whose name fits is read as something else."""
    real = Source.tensor

    def tensor(self, name, *shape):
        found = real(self, name, *shape)
        return change(found) if fnmatchcase(name, pattern) else found

    return lambda patch: patch.setattr(Source, "tensor", tensor)


def dropped(pattern):
    """Every bias whose name fits is read as zero."""
    return tensors(pattern, torch.zeros_like)


def ones(pattern):
    """Every gain whose name fits is read as one."""
    return tensors(pattern, torch.ones_like)


def third_dropped(pattern, which):
    """One third of a bias of queries, keys and values side by side is read as zero."""

    def change(bias):
        kept = bias.clone()
        kept.view(3, -1)[which] = 0
        return kept

    return tensors(pattern, change)


def swapped(pattern, one, other):
    """Tensors of one name are read where those of another belong, and the other way round."""
    real = Source.tensor

    def tensor(self, name, *shape):
        if fnmatchcase(name, pattern):
            mark = "\0"
            name = name.replace(one, mark).replace(other, one).replace(mark, other)
        return real(self, name, *shape)

    return lambda patch: patch.setattr(Source, "tensor", tensor)


def config(**entries):
    """The config is read as if it said something else."""
    real = Source.__init__

    def init(self, given, *rest, **options):
        real(self, dict(given) | entries, *rest, **options)

    return lambda patch: patch.setattr(Source, "__init__", init)


def step(name, function, module=steps):
    """One step does something else."""
    return lambda patch: patch.setattr(module, name, function)


def of_trace(name, function):
    """A quantity of the trace is something else."""
    return lambda patch: patch.setattr(trace.AttentionTrace, name, property(function))


def fused(change):
    """The kernel is asked for something else."""
    real = kernel.fused
    return lambda patch: patch.setattr(kernel, "fused", lambda *given: change(real, *given))


def attention(module, change):
    """Every AttentionSublayer that a family builds is another."""
    real = layer.AttentionSublayer
    return lambda patch: patch.setattr(module, "AttentionSublayer", lambda **given: change(real(**given)))


def configured(module, **entries):
    """Every AttentionConfig that a family builds has other entries; a function is given the config."""

    def change(sublayer):
        made = {name: entry(sublayer.config) if callable(entry) else entry for name, entry in entries.items()}
        return replace(sublayer, config=replace(sublayer.config, **made))

    return attention(module, change)


def layers(module, change):
    """Every Layer that a family builds is another."""
    real = layer.Layer
    return lambda patch: patch.setattr(module, "Layer", lambda **given: change(real(**given)))
