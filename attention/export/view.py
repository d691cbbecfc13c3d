"""What is on screen, with everything a file must say about itself."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from attention.export import subjects
from attention.export.subjects import Subject
from attention.figures.labels import visible
from attention.figures.picture import Picture

_OF_THE_WHOLE_LAYER = ("npz", "json")
_CONTENTS = {"npz": "steps", "json": "steps", "py": "view"}
_LONGEST_TAG = 48
_RANGES = {"fixed": "0 to 1", "head": "0 to this head's largest weight", "log": "logarithmic"}


class TokenLike(Protocol):
    """What an export asks of a token."""

    @property
    def text(self) -> str:
        """The piece as the tokenizer writes it."""

    @property
    def id(self) -> int:
        """Its row in the vocabulary."""

    @property
    def start(self) -> int:
        """The first character of the text that it covers."""

    @property
    def end(self) -> int:
        """The character after the last."""

    @property
    def special(self) -> bool:
        """Whether the tokenizer put it there."""


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """One head of one layer as the reader sees it.

    Attributes:
        picture: The chosen head's weights as shown.
        model: The model's name.
        revision: Which version of it.
        dtype: What the numbers were reckoned in.
        text: The sentence; None when the run was given ids.
        pair: The second sentence, if there is one.
        tokens: All tokens of the sequence, hidden ones too.
        layer: Counted from 0.
        head: Counted from 0.
        site: "self", "cross" or "encoder".
        changes: What the reader changed, in words, or "no mask".
        settings: The same as data: a mapping, or a dataclass of plain values.
        script: The view as three lines of Python.
        arrays: Every step of this layer under the engine's names, for all heads. "tokens", "ids", "settings",
            "facts", "meaning" and "script" are names of our own.
        tag: What the reader changed, short enough for the name of a file: "causal_off2-5".
        subject: What pictures and pages of this view show; None for the heatmap of ``picture``.
    """

    picture: Picture
    model: str
    revision: str
    dtype: str
    text: str | None
    pair: str | None
    tokens: Sequence[TokenLike]
    layer: int
    head: int
    site: str
    changes: str
    settings: Any
    script: str
    arrays: Mapping[str, np.ndarray]
    tag: str = ""
    subject: Subject | None = None

    @property
    def shown(self) -> Subject:
        """What pictures and pages of this view show."""
        return self.picture if self.subject is None else self.subject


def title(view: View) -> str:
    """One line that says what the picture is."""
    where = [] if view.site == "self" else [view.site]
    head = [f"L{view.layer} H{view.head}"] if subjects.of_one_head(view.shown) else []
    parts = [visible(view.model), " ".join([*where, *head]), visible(subjects.heading(view.shown))]
    return " · ".join(part for part in parts if part)


def facts(view: View) -> dict[str, str]:
    """Everything one must know to read the numbers or to make them again."""
    said = {
        "model": view.model,
        "revision": view.revision,
        "dtype": view.dtype,
        "attention": view.site,
        **(_one_head(view) if subjects.of_one_head(view.shown) else {}),
        "changes": view.changes,
        **(_range(view) if isinstance(view.shown, Picture | subjects.Table) else {}),
        **subjects.details(view.shown),
        "text": view.text or "",
        "second sentence": view.pair or "",
    }
    return {name: printable(value) for name, value in said.items() if value}


def _one_head(view: View) -> dict[str, str]:
    return {"layer": f"L{view.layer}", "head": f"H{view.head}"}


def _range(view: View) -> dict[str, str]:
    return {"colour range": _RANGES[view.picture.range], "tokens shown": view.picture.note}


def summary(view: View) -> str:
    """The facts on one line, without characters that a file format might stumble over."""
    return "; ".join(f"{name}: {visible(value)}" for name, value in facts(view).items())


def python(view: View) -> str:
    """The view as Python, to copy."""
    return view.script.rstrip("\n") + "\n"


def filename(view: View, ext: str) -> str:
    """A name that says what the file holds and that every file system takes.

    Pictures and tables hold one head, or the sheet of all; NPZ and JSON hold every head of the layer, and
    their names no head.
    """
    model = re.sub(r"[^A-Za-z0-9.-]+", "-", view.model)[-60:].strip("-.") or "model"
    whole_layer = ext in _OF_THE_WHOLE_LAYER
    parts = ["headlight", model, *([] if view.site == "self" else [view.site])]
    parts += [f"L{view.layer}"] if whole_layer or subjects.of_one_head(view.shown) else []
    parts += [f"H{view.head}"] if not whole_layer and subjects.of_one_head(view.shown) else []
    tag = _safe(view.tag)
    parts += [tag if len(tag) <= _LONGEST_TAG else "changed"] if tag else []
    return "_".join([*parts, _CONTENTS.get(ext) or subjects.content(view.shown)]) + f".{ext}"


def _safe(text: str) -> str:
    """A text in the characters that every file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")


def printable(text: str) -> str:
    """The same text with halves of characters replaced, so that every file can hold it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
