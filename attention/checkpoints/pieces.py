"""The pieces a text is cut into, and how each way of cutting spells them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of the input as the model sees it.

    Attributes:
        text: The raw piece, such as "##rry" or "Ġbank".
        start: First character of the text that it covers (of the second text, when `segment` is 1).
        end: One past the last; both are 0 for a token that no character of the text stands behind.
        special: Put there by the tokenizer, not by the reader.
        word: Which word it is a piece of; None for a special token. Words of either segment count from 0.
        segment: 0 for the first text and 1 for the second.
        readable: What it reads as, where `text` is spelled in another alphabet; None where it is not.
    """

    text: str
    id: int
    start: int
    end: int
    special: bool
    word: int | None
    segment: int
    readable: str | None = None

    @property
    def shown(self) -> str:
        r"""The piece for a reader's eyes: " bank" for "Ġbank"; "\xf0\x9f" for half an emoji.

        >>> Token("▁bank", 7, 3, 8, special=False, word=1, segment=0, readable=" bank").shown
        ' bank'
        """
        return self.text if self.readable is None else self.readable


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a tokenizer writes its pieces.

    Attributes:
        read: What a piece reads as.
        begins: Whether a piece begins a new word, whatever stands before it.
    """

    read: Callable[[str], str]
    begins: Callable[[str], bool]

    def readable(self, piece: str) -> str | None:
        """What a piece reads as, where it is spelled otherwise."""
        reads = self.read(piece)
        return None if reads == piece else reads

    def words(self, pieces: Iterable[str], specials: Iterable[bool]) -> list[int | None]:
        """Which word each piece belongs to, read off the marks that pieces carry."""
        words: list[int | None] = []
        word = -1
        for piece, special in zip(pieces, specials, strict=True):
            continues = not self.begins(piece) and words[-1:] not in ([], [None])
            word += not (special or continues)
            words.append(None if special else word)
        return words


WHOLE = Spelling(read=str, begins=lambda piece: True)
"""Every piece is a word."""


def continued(prefix: str) -> Spelling:
    """Pieces that go on with a word carry a mark: "que", "##rry"."""
    return Spelling(read=str, begins=lambda piece: not piece.startswith(prefix))


def _byte_letters() -> dict[str, int]:
    """GPT-2's letter for each byte: itself where it can be printed, else one from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    return letters | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_BYTE_LETTERS = _byte_letters()


def from_byte_letters(piece: str) -> str:
    r"""What a piece of byte letters reads as; bytes that are no character by themselves stand as \x….

    >>> from_byte_letters("Ġcafé"), from_byte_letters("ðŁĺ")
    (' caf\\xe9', '\\xf0\\x9f\\x98')
    """
    if not all(letter in _BYTE_LETTERS for letter in piece):
        return piece  # an added token, written as it is
    return bytes(_BYTE_LETTERS[letter] for letter in piece).decode("utf-8", "backslashreplace")


BYTES = Spelling(read=from_byte_letters, begins=lambda piece: from_byte_letters(piece)[:1].isspace())
"""Bytes, each written as a letter: "Ġ" is the space."""

UNDERLINE = "▁"
_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def from_underlined(piece: str) -> str:
    r"""What a sentencepiece reads as.

    >>> from_underlined("▁bank"), from_underlined("<0x0A>"), from_underlined("<0xF0>")
    (' bank', '\n', '\\xf0')
    """
    match = _BYTE_PIECE.fullmatch(piece)
    if match:
        return bytes.fromhex(match[1]).decode("utf-8", "backslashreplace")
    return piece.replace(UNDERLINE, " ")


UNDERLINED = Spelling(read=from_underlined, begins=lambda piece: from_underlined(piece)[:1].isspace())
"""Spaces are written ▁, at the beginning of a word."""
