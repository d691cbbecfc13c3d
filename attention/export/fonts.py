"""Letters for pictures that leave the browser.

matplotlib brings DejaVu Sans along, which has Latin, Greek, Cyrillic, Hebrew and Arabic. A character that
it does not have (most emoji, Chinese, Japanese and Korean) is written by its code, ``⟨732B⟩``: nothing is
left out and no empty box stands in its place.
"""

import base64
import io
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

import matplotlib as mpl
from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font, LoadFlags

from attention.figures.labels import plain_label, visible

LABEL_LIMIT = 24

_NARROWEST = 0.2
_CONTROL_PICTURES = range(0x2400, 0x2422)


def font(size: float, *, bold: bool = False) -> FontProperties:
    """Our face at a size in points."""
    return FontProperties(fname=str(_path(bold)), size=size, weight="bold" if bold else "normal")


def drawable(text: str, *, bold: bool = False) -> str:
    """A text of which every character can be drawn.

    >>> drawable("a → 猫")
    'a → ⟨732B⟩'
    """
    return "".join(_spelt(character, bold) for character in visible(text))


def label(token: str, *, bold: bool = False) -> str:
    """A token as the label of a row or a column."""
    text = drawable(plain_label(token, LABEL_LIMIT), bold=bold)
    return text if len(text) <= LABEL_LIMIT else text[: LABEL_LIMIT - 1] + "…"


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line of text is, in points."""
    return size * _ems(text, bold)


def label_width(token: str, size: float) -> float:
    """Room that a label needs, whether it is in focus (bold) or not."""
    return width(label(token, bold=True), size, bold=True)


def wrap(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Lines that fit; the last one ends in … when there was more."""
    enough = int(most * room / (_NARROWEST * size)) + 1  # a pasted novel is not measured to its end
    lines: list[str] = []
    more = len(text) > enough
    for word in drawable(text[:enough], bold=bold).split():
        wider = f"{lines[-1]} {word}" if lines else word
        if lines and width(wider, size, bold=bold) <= room:
            lines[-1] = wider
        elif len(lines) == most:
            more = True
            break
        else:
            lines.append(_cut(word, size, room, bold))
    if more and lines and not lines[-1].endswith("…"):
        lines[-1] = _cut(lines[-1] + " …", size, room, bold)
    return lines


def embedded(texts: dict[bool, str]) -> str:
    """CSS that carries just these letters of our face, so that an SVG looks the same everywhere.

    Args:
        texts: What is written, in the regular (False) and in the bold face (True).
    """
    return "".join(_face_rule(bold, "".join(sorted(set(text)))) for bold, text in texts.items() if text)


def _cut(text: str, size: float, room: float, bold: bool) -> str:
    if width(text, size, bold=bold) <= room:
        return text
    fitting = bisect_right(range(len(text)), room, key=lambda end: width(text[:end] + "…", size, bold=bold))
    return text[: max(0, fitting - 1)].rstrip(" …") + "…"


@lru_cache(maxsize=4096)
def _ems(text: str, bold: bool) -> float:
    """Width of a line whose letters are one unit high."""
    face = _face(bold)
    face.set_size(100, 72)
    face.set_text(text, 0, flags=LoadFlags.NO_HINTING)
    return float(face.get_width_height()[0]) / 64 / 100


def _spelt(character: str, bold: bool) -> str:
    code = ord(character)
    if code in _glyphs(bold):
        return character
    if code in _CONTROL_PICTURES:
        code = 0x7F if code == 0x2421 else code - 0x2400
    return f"⟨{code:04X}⟩"


@lru_cache
def _glyphs(bold: bool) -> frozenset[int]:
    return frozenset(_face(bold).get_charmap())


@lru_cache
def _face(bold: bool) -> FT2Font:
    return FT2Font(str(_path(bold)))


def _path(bold: bool) -> Path:
    return Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")


def _face_rule(bold: bool, letters: str) -> str:
    options = subset.Options(layout_features=["*"], notdef_outline=True)
    options.drop_tables = [*options.drop_tables, "FFTM"]  # FontForge's time stamps
    with TTFont(_path(bold), recalcTimestamp=False) as face:
        cutter = subset.Subsetter(options)
        cutter.populate(text=letters)
        cutter.subset(face)
        face.flavor = "woff"
        packed = io.BytesIO()
        face.save(packed)
    data = base64.b64encode(packed.getvalue()).decode("ascii")
    weight = "bold" if bold else "normal"
    source = f"url(data:font/woff;base64,{data}) format('woff')"
    return f"@font-face{{font-family:'DejaVu Sans';font-weight:{weight};src:{source}}}"
