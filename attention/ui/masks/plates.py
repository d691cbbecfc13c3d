"""The gallery and the batch as files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention.analysis.padding import Padded
from attention.checkpoints.tokens import Token
from attention.export.plate import Plate
from attention.export.view import printable
from attention.figures.grid import Grid
from attention.figures.mask_gallery import MaskGallery, MaskTile
from attention.ui.facts import of_model
from attention.ui.mask_text import format_indices
from attention.ui.masks import controls, words
from attention.ui.masks.choices import MaskChoices
from attention.ui.masks.scene import MaskScene

GALLERY = "Masks over the first tokens"
_COUNTED = (
    "tokens",
    "open cells",
    "share of N²",
    "keys a row, least",
    "keys a row, mean",
    "keys a row, most",
)
_SENTENCE = ("tokens of its own", "difference with mask", "difference without mask")


def gallery_plate(scene: MaskScene, gallery: MaskGallery) -> Plate:
    """Every mask counted, and as an array of its own: 1 where a query, a row, may attend to a key."""
    n_shown = min(len(tile.allowed) for tile in gallery.tiles)
    said = of_model(scene.untouched.model, text=scene.view.text)
    return Plate(
        picture=Grid(
            title=GALLERY,
            values=np.array([_counted(tile) for tile in gallery.tiles]),
            rows=tuple(tile.title for tile in gallery.tiles),
            columns=_COUNTED,
            row_title="mask",
            column_title="cells",
            scale="ink",
        ),
        key="masks-gallery",
        facts=said | {"tokens shown": f"{n_shown} of {scene.untouched.n_real}"} | _numbers(scene.choices),
        drawing=gallery,
        arrays={f"allowed_{tile.name.replace('-', '_')}": tile.allowed for tile in gallery.tiles}
        | {f"keys_{tile.name.replace('-', '_')}": tile.allowed.sum(axis=1) for tile in gallery.tiles},
    )


def _counted(tile: MaskTile) -> tuple[float, ...]:
    keys = tile.allowed.sum(axis=1)
    return (len(keys), keys.sum(), tile.share, keys.min(), keys.mean(), keys.max())


def _numbers(choices: MaskChoices) -> dict[str, str]:
    """The numbers that the masks of the gallery are made with."""
    return {
        "neighbours a side": str(choices.reach),
        "step": str(choices.step),
        "global tokens": format_indices(choices.tokens),
        "random links a row": str(choices.links),
        "seed": str(choices.seed),
        "tokens of a block": str(choices.size),
        "tokens of the prefix": str(choices.prefix),
        "padding": str(choices.pad),
    }


def mask(scene: MaskScene) -> str:
    """The mask as a file names it: as the page does, with its numbers."""
    choices = scene.choices
    numbers = []
    for name in choices.chosen.numbers:
        value = getattr(choices, name)
        asked = controls.IN_PATTERN.get((choices.pattern, name)) or controls.NUMBERS.get(name)
        label = "Global tokens" if asked is None else asked.label
        numbers.append(f"{label.lower()} {format_indices(value) or 'none' if asked is None else value}")
    said = [f"{words.mask_name(scene)}: {', '.join(numbers)}" if numbers else words.mask_name(scene)]
    return "; ".join([*said, *filter(None, [words.by_hand(scene)])])


_MEANING = {"computed in": "float64", "mask": "1 real, 0 padding"}


def batch_plate(scene: MaskScene, rows: Sequence[Padded], tokens: Sequence[Sequence[Token]]) -> Plate:
    """A row a sentence: how far it is from itself read alone, then id and mask of every place."""
    ids = np.array([row.ids for row in rows])
    mask = np.array([[at < row.n_real for at in range(len(row.ids))] for row in rows])
    found = np.array([[row.n_real, row.difference, row.unmasked] for row in rows])
    places = range(ids.shape[1])
    texts = {f"sentence {number}": text for number, text in enumerate(scene.choices.batch, start=1)}
    names = (*_SENTENCE, *(f"id {at}" for at in places), *(f"mask {at}" for at in places))
    return Plate(
        picture=Grid(
            title="A batch of unequal sentences",
            values=np.concatenate([found, ids, mask], axis=1),
            rows=tuple(texts),
            columns=names,
            row_title="sentence",
            column_title="largest difference from itself read alone; id and mask of each place",
            scale="ink",
        ),
        key="masks-batch",
        facts=of_model(scene.untouched.model) | texts | _MEANING,
        arrays={
            "ids": ids,
            "mask": mask,
            "tokens": np.array([[printable(token.text) for token in row] for row in tokens]),
            "difference": found[:, 1],
            "difference_without_mask": found[:, 2],
        },
    )
