"""The tiles as files: the scores after one tile, and what its queries carry along."""

from __future__ import annotations

from functools import partial

import numpy as np

from attention.analysis.cost_tiles import Walk
from attention.export.plate import Plate
from attention.figures.grid import Grid
from attention.figures.tile_rows import TileRows
from attention.figures.tiles import TileBoard, tile_board
from attention.ui.cost import words
from attention.ui.facts import of_scene
from attention.ui.scene import Scene

RUNNING = ("m before this tile", "m, largest score", "α = e^(old m − new m)", "l, sum")


def board_plate(of: Scene, board: TileBoard, walked: Walk) -> Plate:
    """The scores of all tiles so far as a grid; a cell that no tile has met has no number."""
    return Plate(
        picture=Grid(
            title=f"Scores after tile {board.number} of {board.n_tiles}",
            values=board.scores,
            rows=board.queries,
            columns=board.keys,
            row_title="query, looks",
            column_title="key, looked at",
            allowed=np.isfinite(board.scores),
            note=f"Outlined: held, {_held(board.current)}; hatched: masked (−∞), or not met yet",
            part=board.current,
        ),
        key="cost-tiles",
        facts=_facts(of, board.current, walked),
        caption=words.equal(walked),
        markup=partial(tile_board, board),
    )


def running_plate(of: Scene, rows: TileRows, walked: Walk, number: int) -> Plate:
    """m, α and l of each query of one tile, with the m from before it."""
    tile = walked.tiles[number - 1]
    return Plate(
        picture=Grid(
            title=f"Running numbers after tile {number} of {len(walked.tiles)}",
            values=np.stack([rows.before, rows.maxima, rows.corrections, rows.sums], axis=1),
            rows=tuple(f"{at} {rows.tokens[at]}" for at in rows.positions),
            columns=RUNNING,
            row_title="query",
            column_title="running number",
            scale="ink",
        ),
        key="cost-running",
        facts=_facts(of, (tile.queries, tile.keys), walked),
    )


def _held(part: tuple[range, range]) -> str:
    queries, keys = part
    return f"queries {queries.start}–{queries.stop - 1}, keys {keys.start}–{keys.stop - 1}"


def _facts(of: Scene, part: tuple[range, range], walked: Walk) -> dict[str, str]:
    first = walked.tiles[0]
    return {
        **of_scene(of),
        "tile": _held(part),
        "queries and keys a tile": f"{len(first.queries)} × {len(first.keys)}",
        "computed in": "float64",
    }
