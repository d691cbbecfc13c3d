"""What lies on the reader's desk: the cells as typed, the last numbers that could all be read, the choices.

One frozen value. What is typed is never mended or thrown away; a matrix with a cell that cannot be read
leaves the numbers where they were, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from attention.figures.labels import markdown_label
from attention.ui.worked.cells import LARGEST, Numbers, Texts, read, resized, write
from attention.ui.worked.guess import Guess, Step, hidden_from

MOST = 6
"""Tokens, and dimensions of a vector: more is not reckoned by hand."""

WORDS = ("I", "learn", "from", "every", "example", "here")
LONGEST = 200
"""Characters of the sentence."""

EXAMPLE = ("x", "q", "k", "v")
"""The matrices of the seven steps: read together, so that steps never show numbers of two moments."""

NAMES: Mapping[str, str] = {
    "x": "X",
    "q": "W_Q",
    "k": "W_K",
    "v": "W_V",
    "row": "Softmax row",
    "mix": "Weighted sum",
}
ROW_LARGEST = 100.0
"""For the row whose exp is shown: exp(100) still has a name."""

Cells: TypeAlias = Mapping[str, Texts]
Matrices: TypeAlias = Mapping[str, Numbers]

IDENTITY: Numbers = ((1.0, 0.0), (0.0, 1.0))
ROW: Numbers = ((1.2, 2.5, 1.0, 2.0),)
MIX: Numbers = (
    (0.10, 1.0, 0.0, 2.0),
    (0.50, 0.0, 1.0, 1.0),
    (0.15, 2.0, -1.0, 0.0),
    (0.25, 1.0, 1.0, -1.0),
)
START: Matrices = {**dict.fromkeys(EXAMPLE, IDENTITY), "row": ROW, "mix": MIX}


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The worked example as it stands.

    Attributes:
        words: The sentence as typed.
        cells: Every matrix as typed.
        tokens: The tokens of the numbers below.
        numbers: Every matrix as last read.
        causal: Whether a token may only look at itself and before.
        query: Position of the query in focus; held within the tokens when read.
        key: Likewise for the key.
        edition: Counts what changed the cells other than typing; editors start afresh with each.
        base: The cells as they were when this edition began: what an editor's changes are changes of.
        told: What was wrong with the link, a sentence each.
        predict: The step that stays hidden until a guess for one of its cells has been typed; "" hides none.
        guess: What was typed; it belongs to these numbers and this step.
    """

    words: str = " ".join(WORDS[:2])
    cells: Cells = field(default_factory=lambda: write_all(START))
    tokens: tuple[str, ...] = WORDS[:2]
    numbers: Matrices = field(default_factory=lambda: START)
    causal: bool = False
    query: int = 1
    key: int = 0
    edition: int = 0
    base: Cells = field(default_factory=lambda: write_all(START))
    told: tuple[str, ...] = ()
    predict: Step | Literal[""] = ""
    guess: Guess | None = None

    @property
    def hidden(self) -> tuple[Step, ...]:
        """The steps whose numbers the reader is not to see yet: the one to be predicted and all after it."""
        guessed = self.guess is not None and self.guess.number is not None
        return () if guessed or not self.predict else hidden_from(self.predict)

    @property
    def sizes(self) -> dict[str, int]:
        """N, d_model, d_k and d_v of the cells."""
        x, q, v = self.cells["x"], self.cells["q"], self.cells["v"]
        return {"n": len(x), "d": len(x[0]), "dk": len(q[0]), "dv": len(v[0])}

    @property
    def pair(self) -> tuple[int, int]:
        """The query and the key in focus, both among the tokens."""
        last = len(self.tokens) - 1
        return min(self.query, last), min(self.key, last)

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens that the cells speak of: the typed words, where they can be used."""
        words, n = tuple(self.words.split()), self.sizes["n"]
        return words if len(words) == n else _fitted(self.tokens, n)

    def complaints(self, names: Sequence[str] = EXAMPLE) -> tuple[str, ...]:
        """A sentence for every cell of these matrices that cannot be read."""
        return tuple(sentence for name in names for sentence in self._read(name)[1])

    def settled(self) -> Desk:
        """The same desk with the numbers brought up to date, as far as all of their cells can be read."""
        desk = self
        for group in (EXAMPLE, ("row",), ("mix",)):
            read_all = {name: desk._read(name)[0] for name in group}
            fresh = {name: numbers for name, numbers in read_all.items() if numbers is not None}
            if len(fresh) == len(group):
                desk = replace(desk, numbers={**desk.numbers, **fresh})
                desk = replace(desk, tokens=desk.names) if group == EXAMPLE else desk
        return desk

    def _read(self, name: str) -> tuple[Numbers | None, tuple[str, ...]]:
        texts = self.cells[name]
        rows, columns = headings(name, len(texts), len(texts[0]))
        if name == "x":
            rows = [f"{at} ({markdown_label(token, 12)})" for at, token in enumerate(self.names)]
        return read(texts, NAMES[name], rows, columns, ROW_LARGEST if name == "row" else LARGEST)


def headings(name: str, n_rows: int, n_columns: int) -> tuple[list[str], list[str]]:
    """What the rows and the columns of a matrix are called, in its editor and in sentences about its cells.

    >>> headings("row", 1, 2), headings("mix", 1, 3)
    ((['x'], ['key 0', 'key 1']), (['key 0'], ['weight', '0', '1']))
    """
    rows, columns = ([str(at) for at in range(side)] for side in (n_rows, n_columns))
    if name == "row":
        return ["x"], [f"key {at}" for at in columns]
    if name == "mix":
        return [f"key {at}" for at in rows], ["weight", *columns[:-1]]
    return rows, columns


def write_all(numbers: Matrices) -> Cells:
    """Every matrix as its cells show it."""
    return {name: write(matrix) for name, matrix in numbers.items()}


def typed(desk: Desk, name: str, texts: Texts) -> Desk:
    """The desk after somebody typed into one matrix."""
    return replace(desk, cells={**desk.cells, name: texts}).settled()


def laid_out(desk: Desk, cells: Cells, **choices: Any) -> Desk:
    """The desk with other cells for some matrices, and editors that start from them."""
    every = {**desk.cells, **cells}
    return replace(desk, cells=every, base=every, edition=desk.edition + 1, **choices).settled()


def with_sizes(desk: Desk, **sizes: int) -> Desk:
    """The desk with other sizes: what both sizes have is kept as typed, the rest is the identity's."""
    wanted = {**desk.sizes, **sizes}
    n, d, dk, dv = wanted["n"], wanted["d"], wanted["dk"], wanted["dv"]
    shapes = {"x": (n, d), "q": (d, dk), "k": (d, dk), "v": (d, dv)}
    cells = {name: resized(desk.cells[name], *shape) for name, shape in shapes.items()}
    words = desk.words if n == desk.sizes["n"] else " ".join(_fitted(desk.words.split() or desk.names, n))
    return laid_out(desk, cells, words=words)


def with_words(desk: Desk, words: str) -> Desk:
    """The desk with another sentence; as many tokens as it has words, where they fit."""
    if words_told(asked := replace(desk, words=words)):
        return asked
    cells = {"x": resized(desk.cells["x"], len(words.split()), desk.sizes["d"])}
    return laid_out(desk, cells, words=words)


def words_told(desk: Desk) -> str:
    """What is wrong with the sentence; nothing when it can be used."""
    count, length = len(desk.words.split()), len(desk.words)
    if length > LONGEST:
        return f"The sentence has {length:,} characters; at most {LONGEST} fit here."
    if not count:
        return "The sentence is blank: type 1 to 6 words."
    return f"The sentence has {count} words; at most {MOST} fit here." if count > MOST else ""


def _fitted(words: Sequence[str], n: int) -> tuple[str, ...]:
    """The words cut or filled up to n."""
    return tuple(words[at] if at < len(words) else WORDS[at] for at in range(n))
