"""FlashAttention by tiles on a real head, one tile at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention.analysis.cost_tiles import Walk, n_tiles, walk
from attention.engine.tiled import Tile, blocks
from attention.errors import AttentionError
from attention.figures.grid import Grid
from attention.figures.labels import plain_label
from attention.figures.theme import Palette
from attention.figures.tile_rows import TileRows, tile_rows
from attention.figures.tiles import TileBoard, cuts, tile_board
from attention.ui.components.cost import picture
from attention.ui.cost import tile_plates, words
from attention.ui.cost.choices import PAGE, CostChoices
from attention.ui.cost.head import head_name
from attention.ui.facts import of_scene
from attention.ui.scene import Scene
from attention.ui.shown import NUMBERS, files, shown
from attention.ui.titles import title
from attention.ui.words import literal


def tiles(of: Scene, choices: CostChoices, colours: Palette) -> None:
    """The choice of tiles, then the picture; what cannot be cut is told, and the rest of the page stays."""
    n_rows, n_columns = sizes(of, choices)
    st.html(title(words.TILES, f"{head_name(of)} · scores of your sentence, float64"))
    _controls(of, n_rows, n_columns)
    try:
        walked = walk(of.trace, of.view.head, n_rows, n_columns)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    number = walked.first_correction + 1 if choices.tile is None else choices.tile
    _walk(of, walked, number, colours)


def settled(of: Scene, choices: CostChoices) -> CostChoices:
    """The choices without a tile that there is not, which is told."""
    n_rows, n_columns = sizes(of, choices)
    if choices.tile is None or min(n_rows, n_columns) < 1:  # a tile of nothing is refused below
        return choices
    many = n_tiles(of.trace, n_rows, n_columns)
    if choices.tile <= many:
        return choices
    kept = replace(choices, tile=None)
    PAGE.settle(kept, (f"There is no tile {choices.tile}: this head is cut into {many} (1–{many}).",))
    return kept


def sizes(of: Scene, choices: CostChoices) -> tuple[int, int]:
    """Queries and keys a tile: what was chosen, or a quarter of the sentence."""
    n_queries, n_keys = of.trace.n_queries, of.trace.n_keys
    quarters = math.ceil(n_queries / 4), math.ceil(n_keys / 4)
    return (
        quarters[0] if choices.n_rows is None else choices.n_rows,
        quarters[1] if choices.n_columns is None else choices.n_columns,
    )


def _controls(of: Scene, n_rows: int, n_columns: int) -> None:
    """Two numbers, and presets for them."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for name, label, value in (
            ("n_rows", "Queries a tile", n_rows),
            ("n_columns", "Keys a tile", n_columns),
        ):
            st.number_input(
                label,
                value=None,
                step=1,
                key=PAGE.held(name, value),
                on_change=PAGE.take_number,
                args=(name,),
                width=150,
            )
        for name, (label, rows, columns) in presets(of).items():
            st.button(
                label,
                key=f"example-tiles-{name}",
                type="tertiary",
                on_click=PAGE.change,
                kwargs={"n_rows": rows, "n_columns": columns, "tile": None},
            )


def presets(of: Scene) -> Mapping[str, tuple[str, int | None, int | None]]:
    """A button's words, queries a tile and keys a tile; None is a quarter of the sentence."""
    n_queries, n_keys = of.trace.n_queries, of.trace.n_keys
    return {
        "quarters": ("A quarter each", None, None),
        "row": ("One query at a time", 1, None),
        "uneven": ("Tiles that do not divide N", _uneven(n_queries), _uneven(n_keys)),
        "whole": ("One tile: the whole matrix", n_queries, n_keys),
    }


def _uneven(n: int) -> int:
    """A size of which the last tile is smaller; the whole side where every size divides it."""
    third = math.ceil(n / 3)
    return next((size for size in range(third, n) if n % size), n)


def _walk(of: Scene, walked: Walk, number: int, colours: Palette) -> None:
    if len(walked.tiles) > 1:
        st.slider(
            f"Tile, of {len(walked.tiles)}",
            1,
            len(walked.tiles),
            key=PAGE.held("tile", number),
            on_change=PAGE.take,
            args=("tile",),
            help="Keys first, then the next queries. Arrow keys step.",
        )
    tile = walked.tiles[number - 1]
    with st.container(key="cell"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            _board(of, walked, number, colours)
        with right:
            _running(of, walked, number, colours)
            st.html(f'<div class="note">{words.held(walked, tile)} {words.equal(walked)}</div>')
            outputs(of, walked, number, colours)


def _board(of: Scene, walked: Walk, number: int, colours: Palette) -> None:
    shown_board = board(of, walked, number)
    picture(tile_board(shown_board, colours), element_key="tiles")
    st.html(f'<div class="cap">{words.board_caption(walked)}</div>')
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        held = tile_plates.board_plate(of, shown_board, walked)
        files(held, colours)
    _table(of, walked, number)


def board(of: Scene, walked: Walk, number: int) -> TileBoard:
    """The scores after some tiles, as they are to be drawn."""
    tile = walked.tiles[number - 1]
    n_rows, n_columns = len(walked.tiles[0].queries), len(walked.tiles[0].keys)
    return TileBoard(
        queries=of.query_texts,
        keys=of.key_texts,
        scores=walked.met(number - 1).numpy(),
        row_cuts=cuts(blocks(of.trace.n_queries, n_rows)),
        column_cuts=cuts(blocks(of.trace.n_keys, n_columns)),
        current=(tile.queries, tile.keys),
        number=number,
    )


def _running(of: Scene, walked: Walk, number: int, colours: Palette) -> None:
    tile, before = walked.tiles[number - 1], _before(walked, number)
    rows = TileRows(
        tokens=of.query_texts,
        positions=tile.queries,
        before=before,
        maxima=tile.maxima[0].numpy(),
        corrections=tile.corrections[0].numpy(),
        sums=tile.sums[0].numpy(),
    )
    picture(tile_rows(rows, colours), element_key="running")
    st.html(f'<div class="cap">{words.running_caption(rows, tile.passed_over)}</div>')
    files(tile_plates.running_plate(of, rows, walked, number), colours, offered=NUMBERS)


def _before(walked: Walk, number: int) -> np.ndarray:
    """Each row's maximum before this tile."""
    tile = walked.tiles[number - 1]
    if tile.keys.start == 0:
        return np.full(len(tile.queries), -np.inf)
    return walked.tiles[number - 2].maxima[0].numpy()


def _table(of: Scene, walked: Walk, number: int) -> None:
    """Everything the two pictures show, made when it is opened."""
    box: DeltaGenerator
    with st.expander("As a table", key="cost.tiles.table", type="compact", on_change="rerun") as box:
        if box.open:
            st.dataframe(frame(of, walked.tiles[number - 1]), key="cost.tiles.numbers")


def frame(of: Scene, tile: Tile) -> pd.DataFrame:
    """The tile's scores and running numbers, a row a query."""
    queries, keys = of.query_texts, of.key_texts
    names = [f"{at} {plain_label(queries[at])}" for at in tile.queries]
    scores = {
        f"{at} {plain_label(keys[at])}": tile.masked[0, :, column].numpy()
        for column, at in enumerate(tile.keys)
    }
    running = {"m": tile.maxima[0].numpy(), "α": tile.corrections[0].numpy(), "l": tile.sums[0].numpy()}
    return pd.DataFrame(scores | running, index=names)


def outputs(of: Scene, walked: Walk, number: int, colours: Palette) -> None:
    """What each query has gathered so far; rows that were not begun are hatched."""
    values = walked.outputs(number - 1).numpy()
    begun = np.isfinite(values)
    grid = Grid(
        title=f"The output so far: O / l after tile {number}",
        values=np.where(begun, values, 0.0),
        rows=of.query_texts,
        columns=tuple(str(at) for at in range(values.shape[1])),
        row_title="query, looks",
        column_title="entry of the output",
        scale="output",
        limit=walked.farthest or 1.0,
        allowed=begun,
        note="hatched: not begun",
    )
    caption = words.output_caption(walked, number)
    shown(grid, key="cost-output", colours=colours, caption=caption, facts=of_scene(of), level=3)
