"""Take the worked example away: its weights as a picture, every step as a table or arrays, and as Python."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import export
from attention.export import View
from attention.export.tables import matrices
from attention.figures.named_matrix import NamedMatrix
from attention.figures.picture import Picture
from attention.ui.components.entering import entering
from attention.ui.worked import presets
from attention.ui.worked.scene import WorkedScene, settings
from attention.ui.worked.script import script
from attention.ui.worked.words import AFTER_GUESS

PARAMS = ("w_q", "w_k", "w_v")
SQUARE = ("scores", "scaled", "masked", "weights")
TITLES: Mapping[str, str] = {
    "query_input": "X",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "queries": "Q = X W_Q",
    "keys": "K = X W_K",
    "values": "V = X W_V",
    "scores": "Scores = Q K^T",
    "scaled": "Scaled = Scores / sqrt(d_k)",
    "masked": "Masked",
    "weights": "Weights = softmax by row",
    "head_outputs": "Output = Weights V",
}
PICTURES: Mapping[str, tuple[Callable[[View], bytes], str]] = {
    "png": (export.png, "image/png"),
    "svg": (export.svg, "image/svg+xml"),
    "pdf": (export.pdf, "application/pdf"),
    "html": (export.html, "text/html"),
}
ARRAYS: Mapping[str, tuple[Callable[[View], bytes], str]] = {
    "npz": (export.npz, "application/octet-stream"),
    "json": (export.json, "application/json"),
}


def export_menu(scene: WorkedScene) -> None:
    """The menu; a file is made when its button is pressed, and the page is not run again."""
    with st.popover("Export", icon=":material/download:", width="stretch"):
        if scene.desk.hidden:
            st.html(f'<div class="cap">Every file holds the hidden numbers: the menu {AFTER_GUESS}.</div>')
            return
        st.html('<div class="cap">The weights as a picture, or as a page with its hovers</div>')
        with st.container(horizontal=True, gap="xsmall"):
            _buttons(scene, PICTURES)
        st.html('<div class="cap">Every step as a table or as arrays</div>')
        with st.container(horizontal=True, gap="xsmall"):
            _button("csv", csv_name(scene), partial(steps_csv, scene), "text/csv")
            _buttons(scene, ARRAYS)
        st.html('<div class="cap">These numbers in Python</div>')
        st.code(script(scene.desk), language="python", wrap_lines=True)
        entering("worked.entering")


def tag(scene: WorkedScene) -> str:
    """Which numbers these are, for the name of a file: an example's, or the reader's own; and the mask."""
    name = presets.name(scene.desk) or "own-numbers"
    return "_".join([*([] if name == "identity" else [name]), *(["causal"] if scene.desk.causal else [])])


def csv_name(scene: WorkedScene) -> str:
    """The name of the table of all steps."""
    return "_".join(part for part in ("headlight_worked-example", tag(scene), "steps.csv") if part)


def _buttons(scene: WorkedScene, files: Mapping[str, tuple[Callable[[View], bytes], str]]) -> None:
    for ext, (make, mime) in files.items():
        _button(ext, export.filename(view(scene), ext), partial(_made, make, scene), mime)


def view(scene: WorkedScene) -> View:
    """The worked example as an export knows it."""
    query, key = scene.desk.pair
    picture = Picture(
        values=scene.head.weights.astype(np.float32),
        allowed=scene.head.allowed,
        query_tokens=scene.tokens,
        key_tokens=scene.tokens,
        query=query,
        key=key,
    )
    return View(
        picture=picture,
        model="worked-example",
        revision="numbers set by hand",
        dtype="float64",
        text=" ".join(scene.tokens),
        pair=None,
        tokens=scene.pieces,
        layer=0,
        head=0,
        site="self",
        changes="causal mask" if scene.desk.causal else "no mask",
        settings=settings(scene.desk),
        script=script(scene.desk),
        arrays=arrays(scene),
        tag=tag(scene),
    )


def arrays(scene: WorkedScene) -> dict[str, NDArray[np.float64]]:
    """Every learned matrix and every step, under the engine's names and without the axis of its one head."""
    trace = scene.trace
    found = {name: getattr(trace.params if name in PARAMS else trace, name) for name in TITLES}
    return {name: np.asarray(matrix[0] if matrix.ndim == 3 else matrix) for name, matrix in found.items()}


def steps_csv(scene: WorkedScene) -> bytes:
    """Every matrix in order, each under its name, an empty line between; UTF-8 as spreadsheets want it."""
    sheet = io.StringIO(newline="")
    lines = csv.writer(sheet)
    lines.writerow(["# Headlight", "worked example, " + ("causal mask" if scene.desk.causal else "no mask")])
    lines.writerow([])
    lines.writerows(matrices(_named(scene)))
    return sheet.getvalue().encode("utf-8-sig")


def _named(scene: WorkedScene) -> Iterator[NamedMatrix]:
    for name, matrix in arrays(scene).items():
        rows, columns = ([str(at) for at in range(side)] for side in matrix.shape)
        yield NamedMatrix(
            name=TITLES[name],
            rows=rows if name in PARAMS else scene.tokens,
            columns=scene.tokens if name in SQUARE else columns,
            values=matrix,
        )


def _made(make: Callable[[View], bytes], scene: WorkedScene) -> bytes:
    return make(view(scene))


def _button(ext: str, name: str, make: Callable[[], bytes], mime: str) -> None:
    st.download_button(
        ext.upper(), data=make, file_name=name, mime=mime, key=f"worked.export-{ext}", on_click="ignore"
    )
