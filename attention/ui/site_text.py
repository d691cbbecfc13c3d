"""Changes to several kinds of attention as a link writes them: ``encoder;causal;0.3;2-5``.

A kind of attention, its mask, the layers of the mask, its heads that are off; several of them with commas
between. What is not changed stays empty.
"""

from __future__ import annotations

from attention.errors import InputError
from attention.sites import SITES, Site
from attention.ui.mask_text import (
    format_indices,
    format_mask,
    format_pairs,
    parse_indices,
    parse_mask,
    parse_pairs,
)
from attention.ui.view import Changes

Elsewhere = tuple[tuple[Site, Changes], ...]


def parse_elsewhere(text: str) -> Elsewhere:
    """The changes that a link names, in the order of ``SITES``.

    >>> parse_elsewhere("cross;;;2-5")
    (('cross', Changes(mask=(), mask_layers=None, heads_off=frozenset({(2, 5)}))),)

    Raises:
        InputError: A kind of attention, a mask or an index that is none.
    """
    found: dict[Site, Changes] = {}
    for part in text.split(",")[: len(SITES)]:
        name, *fields = part.split(";")
        site = next((site for site in SITES if site == name), None)
        if site is None or len(fields) != 3:
            raise InputError(f"“{part[:24]}” is no attention;mask;layers;heads")
        found[site] = _changes(*fields)
    return tuple((site, found[site]) for site in SITES if site in found and found[site].any)


def _changes(mask: str, layers: str, heads: str) -> Changes:
    return Changes(
        mask=parse_mask(mask) if mask else (),
        mask_layers=parse_indices(layers) if layers else None,
        heads_off=parse_pairs(heads) if heads else frozenset(),
    )


def format_elsewhere(elsewhere: Elsewhere) -> str:
    """The same as a link writes it.

    >>> format_elsewhere((("encoder", Changes(heads_off=frozenset({(2, 5), (0, 1)}))),))
    'encoder;;;0-1.2-5'
    """
    return ",".join(f"{site};{_text(changes)}" for site, changes in elsewhere)


def _text(changes: Changes) -> str:
    mask = format_mask(changes.mask) if changes.mask else ""
    layers = "" if changes.mask_layers is None else format_indices(changes.mask_layers)
    return f"{mask};{layers};{format_pairs(changes.heads_off)}"
