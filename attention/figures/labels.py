"""Tokens as labels: whatever a token holds, the reader sees that and nothing else happens.

Plotly reads labels as a little HTML, Streamlit reads them as Markdown, and a token may be ``<script>``,
``$x$``, a newline or nothing at all.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

LONGEST = 24
"""Characters of a label before it is cut."""

_FIRST_STRONG, _END_ISOLATE = "\u2068", "\u2069"
_ZERO_WIDTH_JOINERS = "\u200c\u200d"
_VARIATIONS = range(0xFE00, 0xFE10)
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"

_CONTROLS = {code: chr(0x2400 + code) for code in range(32)} | {
    9: "⇥",
    10: "↵",
    13: "␍",
    127: "␡",
    0x2028: "↵",
    0x2029: "¶",
}
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# Numeric references are literal text to Plotly and to Markdown alike; a backslash is that to Markdown only.
_ENTITIES = {ord(sign): f"&#{ord(sign)};" for sign in string.punctuation}

# What Streamlit replaces after references are resolved: emoji and icon names, typed arrows, bare links. All
# words with a colon inside are told alike.
_REPLACED = re.compile(r"\w:\w|:[\w/+-]+:|[-<>=~][-<>=]|://|www\.|@.")

_BETWEEN = re.compile(r"([\s“”]+|[.,;]+(?=[\s“”]|$))")


def safe_label(token: str, limit: int = LONGEST) -> str:
    """A label that Plotly shows as itself.

    >>> safe_label("loan")
    'loan'
    >>> safe_label("<b>")
    '&#60;b&#62;'
    """
    text = plain_label(token, limit).translate(_ENTITIES)
    return isolated(text) if _right_to_left(text) else text


def markdown_label(token: str, limit: int = LONGEST) -> str:
    """A label that Streamlit's Markdown shows as itself, and that is itself when it is copied.

    What Streamlit would replace even where it is spelled in references stands as code.

    >>> markdown_label("**loan**")
    '&#42;&#42;loan&#42;&#42;'
    >>> markdown_label("mask window:2:0 of")
    'mask `window:2:0` of'
    """
    plain = plain_label(token, limit)
    text = "".join(map(_in_markdown, _BETWEEN.split(plain)))
    return isolated(text) if _right_to_left(plain) else text


def _in_markdown(part: str) -> str:
    if not _REPLACED.search(part):
        return part.translate(_ENTITIES)
    longest = max(map(len, re.findall("`+", part)), default=0)
    fence, room = "`" * (longest + 1), " " * ("`" in (part[0], part[-1]))
    return f"{fence}{room}{part}{room}{fence}"


@lru_cache(maxsize=1 << 14)  # a page names the same tokens over and over
def plain_label(token: str, limit: int = LONGEST) -> str:
    """A label without markup, for places that show text as it is (or escape it themselves).

    Control characters, spaces at an end, and other things one cannot see are made visible.

    >>> plain_label("a\\nb"), plain_label(" the"), plain_label(""), plain_label("\\u202e")
    ('a↵b', '␣the', '∅', '⟨202E⟩')
    """
    text = visible(token)
    if text != text.strip(" ") or "  " in text:
        text = text.replace(" ", "␣")
    return _cut(text, limit) or "∅"


def visible(text: str) -> str:
    """The same text, with what cannot be seen or would reorder its surroundings spelt out."""
    shown = "".join(_spell(text, at) for at in range(len(text)))
    starts_with_mark = shown and unicodedata.category(shown[0]).startswith("M")
    return f"◌{shown}" if starts_with_mark else shown


def numbered(tokens: Sequence[str], positions: Sequence[int] | None = None) -> tuple[str, ...]:
    """Plain labels for a list; a word that occurs more than once carries its position.

    Args:
        tokens: The tokens, in order.
        positions: Where each stands in the sequence; counted from 0 when left out.

    >>> numbered(["the", "dog", "the"])
    ('the⁰', 'dog', 'the²')
    """
    places = range(len(tokens)) if positions is None else positions
    return _numbered(tuple(tokens), tuple(places))


@lru_cache(maxsize=64)
def _numbered(tokens: tuple[str, ...], places: tuple[int, ...]) -> tuple[str, ...]:
    labels = [plain_label(token) for token in tokens]
    counts = Counter(labels)
    return tuple(
        label if counts[label] == 1 else label + str(place).translate(_SUPERSCRIPTS)
        for label, place in zip(labels, places, strict=True)
    )


def isolated(text: str) -> str:
    """Text that keeps its own direction and leaves its neighbours theirs (Unicode bidi, rule X5c)."""
    return f"{_FIRST_STRONG}{text}{_END_ISOLATE}"


@lru_cache(maxsize=1 << 14)
def columns(label: str) -> int:
    """How wide a label is, in characters of ordinary width: a Chinese character or an emoji takes two.

    >>> columns("bank"), columns("銀行")
    (4, 4)
    """
    return sum(_columns_of(character) for character in label)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _spell(text: str, at: int) -> str:
    character = text[at]
    code = ord(character)
    if code in _CONTROLS:
        return _CONTROLS[code]
    if character == " " or code in _VARIATIONS or _joins(text, at):
        return character
    if character in _BLANK_LETTERS:
        return f"⟨{code:04X}⟩"
    match unicodedata.category(character):
        case "Cs":
            return "\ufffd"
        case "Cc" | "Cf" | "Co" | "Cn" | "Zs":
            return f"⟨{code:04X}⟩"
    return character


def _joins(text: str, at: int) -> bool:
    """Whether this is a zero-width joiner doing its work, as inside an emoji or a Persian word."""
    if text[at] not in _ZERO_WIDTH_JOINERS or not 0 < at < len(text) - 1:
        return False
    beside = text[at - 1] + text[at + 1]
    return all(ord(character) > 0x2FF and character not in _ZERO_WIDTH_JOINERS for character in beside)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip(_ZERO_WIDTH_JOINERS) + "…"


def _right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text)
