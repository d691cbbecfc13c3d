"""The worked example in the address bar, under keys that begin with its name. Everything is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from attention.errors import InputError
from attention.figures.labels import markdown_label
from attention.ui.url import MAX_LINK
from attention.ui.worked.cells import Texts, write_cell
from attention.ui.worked.desk import EXAMPLE, MOST, WORDS, Desk, laid_out, with_sizes, words_told
from attention.ui.worked.guess import PREDICTABLE

PREFIX = "worked."
SIZES = ("n", "d", "dk", "dv")
MASKS = {"none": False, "causal": True}


def read_link(params: Mapping[str, str]) -> Desk:
    """The desk that a link asks for; what is wrong with the link is told on it and left out."""
    own = {key.removeprefix(PREFIX): text for key, text in params.items() if key.startswith(PREFIX)}
    told: list[str] = []
    desk = _sized(own, told)
    for name in (*EXAMPLE, "row", "mix"):
        if name in own:
            desk = _with_matrix(desk, name, own[name], told)
    desk = _with_words(desk, own, told)
    desk = _with_choices(desk, own, told)
    known = (*SIZES, *EXAMPLE, "row", "mix", "words", "mask", "query", "key", "predict")
    told += [
        f"The link’s “{PREFIX}{markdown_label(key)}” means nothing here." for key in own if key not in known
    ]
    return replace(desk, edition=0, told=tuple(told))


def write_link(desk: Desk, base: str = "") -> tuple[dict[str, str], bool]:
    """The parameters that bring the numbers back, and whether the matrices had to be left out.

    Args:
        desk: What is on screen. Cells that cannot be read are not in the link: their last numbers are.
        base: The address before the question mark, with the parameters of others.
    """
    start, sizes = Desk(), _sizes(desk)
    params = {name: str(size) for name, size in sizes.items() if size != start.sizes[name]}
    query, key = desk.pair
    params |= {"query": str(query)} if query != min(start.query, sizes["n"] - 1) else {}
    params |= {"key": str(key)} if key != start.key else {}
    params |= {"mask": "causal"} if desk.causal else {}
    params |= {"predict": desk.predict} if desk.predict else {}
    words = {"words": " ".join(desk.tokens)} if desk.tokens != WORDS[: sizes["n"]] else {}
    matrices = _matrices(desk, sizes)
    every = {PREFIX + name: text for name, text in (params | words | matrices).items()}
    if len(f"{base}?{urlencode(every)}") <= MAX_LINK:
        return every, False
    return {PREFIX + name: text for name, text in params.items()}, True


def _sizes(desk: Desk) -> dict[str, int]:
    x, q, v = desk.numbers["x"], desk.numbers["q"], desk.numbers["v"]
    return {"n": len(x), "d": len(x[0]), "dk": len(q[0]), "dv": len(v[0])}


def _matrices(desk: Desk, sizes: Mapping[str, int]) -> dict[str, str]:
    """The matrices that are not what the sizes alone would bring."""
    plain = with_sizes(Desk(), **sizes).numbers
    return {
        name: ";".join(",".join(map(write_cell, row)) for row in numbers)
        for name, numbers in desk.numbers.items()
        if numbers != plain[name]
    }


def _sized(own: Mapping[str, str], told: list[str]) -> Desk:
    sizes = {}
    for name in SIZES:
        if (text := own.get(name)) is None:
            continue
        if text in map(str, range(1, MOST + 1)):
            sizes[name] = int(text)
        else:
            told.append(_ignored(name, f"{_quoted(text)} is no whole number from 1 to {MOST}"))
    return with_sizes(Desk(), **sizes)


def _with_matrix(desk: Desk, name: str, text: str, told: list[str]) -> Desk:
    """The desk with one matrix of the link, where it has the right shape and every cell can be read."""
    texts: Texts = tuple(tuple(row.split(",")) for row in text.split(";"))
    rows, columns = len(desk.cells[name]), len(desk.cells[name][0])
    if {len(row) for row in texts} != {columns} or len(texts) != rows:
        told.append(_ignored(name, f"{rows} × {columns} numbers are wanted"))
        return desk
    asked = laid_out(desk, {name: texts})
    if complaints := asked.complaints((name,)):
        told += [_ignored(name, complaint.removesuffix(".")) for complaint in complaints[:1]]
        return desk
    return asked


def _with_words(desk: Desk, own: Mapping[str, str], told: list[str]) -> Desk:
    if "words" not in own:
        return desk
    asked = laid_out(desk, {}, words=own["words"])
    n, count = desk.sizes["n"], len(own["words"].split())
    if wrong := words_told(asked) or ("" if count == n else f"It has {count} words for {n} tokens."):
        told.append(_ignored("words", wrong[0].lower() + wrong[1:].removesuffix(".")))
        return desk
    return asked


def _with_choices(desk: Desk, own: Mapping[str, str], told: list[str]) -> Desk:
    for name in ("query", "key", "mask", "predict"):
        if name not in own:
            continue
        try:
            desk = _with_choice(desk, name, own[name])
        except InputError as error:
            told.append(_ignored(name, str(error)))
    return desk


def _with_choice(desk: Desk, name: str, text: str) -> Desk:
    if name == "mask":
        if text not in MASKS:
            raise InputError(f"{_quoted(text)} is not one of {', '.join(MASKS)}")
        return replace(desk, causal=MASKS[text])
    if name == "predict":
        step = next((step for step in PREDICTABLE if step == text), None)
        if step is None:
            raise InputError(f"{_quoted(text)} is not one of {', '.join(PREDICTABLE)}")
        return replace(desk, predict=step)
    if text not in map(str, range(len(desk.tokens))):
        raise InputError(f"{_quoted(text)} is no position from 0 to {len(desk.tokens) - 1}")
    return replace(desk, query=int(text)) if name == "query" else replace(desk, key=int(text))


def _ignored(name: str, why: str) -> str:
    return f"The link’s {PREFIX}{name} was ignored: {why}."


def _quoted(text: str) -> str:
    return f"“{markdown_label(text)}”"
