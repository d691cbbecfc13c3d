"""The view in the address bar. Everything is checked here, whatever the browser sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from attention.errors import InputError
from attention.figures.lines import BLOCKS
from attention.sites import SITES
from attention.ui.mask_text import (
    format_indices,
    format_mask,
    format_pairs,
    parse_indices,
    parse_mask,
    parse_pairs,
    whole,
)
from attention.ui.models import names
from attention.ui.site_text import format_elsewhere, parse_elsewhere
from attention.ui.view import START, Span, ViewState

MAX_LINK = 2000
"""Characters of a link as it stands in the address bar; longer ones get cut in mail and chat."""


@dataclass(frozen=True)
class Entry:
    """One key of a link: which field it is, how it is read and how it is written."""

    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


def one_of(*known: str) -> Callable[[str], str]:
    """A reader of one of some names."""

    def read(text: str) -> str:
        if text not in known:
            raise InputError(f"“{text[:24]}” is not one of {', '.join(known)}")
        return text

    return read


def between(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers within bounds, both included."""
    return lambda text: whole(text, (low, high))


def _span(text: str) -> Span:
    first, dash, last = text.partition("-")
    span = whole(first), whole(last if dash else first)
    if span[0] > span[1]:
        raise InputError(f"{span[0]} comes after {span[1]}")
    return span


def _format_span(span: Span) -> str:
    return f"{span[0]}-{span[1]}"


ENTRIES: dict[str, Entry] = {
    "s": Entry("text", str),
    "pair": Entry("pair", str),
    "target": Entry("target", lambda text: text or None),
    "model": Entry("model", names.from_link),
    "site": Entry("site", one_of(*SITES)),
    "layer": Entry("layer", whole),
    "head": Entry("head", whole),
    "query": Entry("query", whole),
    "key": Entry("key", whole),
    "mask": Entry("mask", parse_mask, format_mask),
    "layers": Entry("mask_layers", parse_indices, format_indices),
    "off": Entry("heads_off", parse_pairs, format_pairs),
    "elsewhere": Entry("elsewhere", parse_elsewhere, format_elsewhere),
    "pad": Entry("pad", whole),
    "shuffled": Entry("shuffled", whole),
    "view": Entry("view", one_of("heatmap", "lines", "neurons", "table")),
    "range": Entry("range", one_of("fixed", "head", "log")),
    "special": Entry("special", one_of("show", "hide", "renormalise")),
    "words": Entry("words", lambda text: one_of("0", "1")(text) == "1", lambda on: str(int(on))),
    "sheet.pool": Entry("sheet_pool", one_of("max", "mean")),
    "sheet.shade": Entry("sheet_shade", one_of("shared", "head")),
    "rows": Entry("rows", _span, _format_span),
    "columns": Entry("columns", _span, _format_span),
    "pool": Entry("pool", one_of("max", "mean")),
    "explore.vector": Entry("vector", one_of("query", "key", "value")),
    "explore.entry": Entry("entry", whole),
    "strip": Entry("light", one_of("gives", "receives")),
    "lines.heads": Entry("lines_heads", parse_indices, format_indices),
    "lines.mass": Entry("lines_mass", between(1, 100)),
    "lines.pair": Entry("lines_block", one_of(*BLOCKS)),
    "lines.lock": Entry("lines_lock", one_of("query", "key", "none")),
}
FORMER: Mapping[str, str] = {
    "heads.words": "words",
    "heads.pool": "sheet.pool",
    "heads.shade": "sheet.shade",
}
"""Keys of older links, and what has taken their place; they are read, and gone with the first change of the
view."""

ALWAYS = ("s", "model", "layer", "head")
TEXTS = {"s": "sentence", "pair": "second sentence", "target": "target"}
CUT = "cut"
"""The key that says in a link that its sentence was too long for it."""


def read_link(params: Mapping[str, str]) -> tuple[ViewState, tuple[str, ...]]:
    """The view a link asks for, and a sentence for each part of it that was ignored or not in it.

    Other keys with a dot belong to one page (``scaling.d``) and are left to it.
    """
    view = replace(ViewState() if "s" in params else START, model=names.default())
    told: list[str] = []
    for key, text in params.items():
        entry = ENTRIES.get(present(key))
        if entry is None or (key in FORMER and present(key) in params):
            continue
        try:
            view = replace(view, **{entry.field: entry.read(_one_line(key, text, told))})
        except InputError as error:
            told.append(f"The link's {key} was ignored: {str(error).removesuffix('.')}.")
    if CUT in params and "s" not in params:
        told.append("The sentence was too long for this link and is not in it: an example is shown instead.")
    return view, (*told, *_unknown(params))


def present(key: str) -> str:
    """What a key of a link is called now."""
    return FORMER.get(key, key)


def _one_line(key: str, text: str, told: list[str]) -> str:
    """A text without line breaks: the box that shows it has one line."""
    if key not in TEXTS or not set(text) & set("\r\n"):
        return text
    told.append(f"The link's {TEXTS[key]} had line breaks; each is read as a space.")
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def write_link(view: ViewState, base: str = "") -> tuple[dict[str, str], bool]:
    """The parameters that bring this view back, and whether the sentence had to be left out.

    Without its sentence a link names no single token either: query, key, hidden keys and padding go with it,
    and a key says that there was one.

    Args:
        view: What is on screen.
        base: The address before the question mark.
    """
    blank = ViewState()
    params = {
        key: entry.write(value)
        for key, entry in ENTRIES.items()
        if (value := getattr(view, entry.field)) != getattr(blank, entry.field) or key in ALWAYS
    }
    if not names.may_link(view.model):
        del params["model"]
    if len(f"{base}?{urlencode(params)}") <= MAX_LINK:
        return params, False
    others = write_link(view.on_another_text(text=blank.text, pair=None, target=None), base)[0]
    return {key: text for key, text in others.items() if key != "s"} | {CUT: "1"}, True


def _unknown(params: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"The link's “{key[:24]}” means nothing here."
        for key in params
        if key not in ENTRIES and key != CUT and "." not in key
    )
