"""Views for the tests of exports."""

from dataclasses import dataclass, field

import numpy as np

from attention.export import View
from tests.figures.pictures import causal

HOSTILE = (
    "<script>",
    "</script>",
    "<b>",
    "&amp;",
    "$x$",
    "**b**",
    "\n",
    "",
    "שלום",
    "=1+1",
    "猫🙂",
    "a" * 40,
)


@dataclass(frozen=True)
class Piece:
    text: str
    id: int = 7
    start: int = 0
    end: int = 1
    special: bool = False


@dataclass(frozen=True)
class Rule:
    before: int


@dataclass(frozen=True)
class Choices:
    mask: Rule = Rule(before=2)
    heads_off: frozenset[tuple[int, int]] = frozenset({(2, 5), (0, 10), (0, 9)})
    positions: str = "own"
    encoder: "Choices | None" = None
    sites: list[str] = field(default_factory=list)


def view(picture=None, **changes) -> View:
    picture = causal(12, query=7, key=5) if picture is None else picture
    n = len(picture.key_tokens)
    scores = np.random.default_rng(3).normal(size=(5, n, n)).astype(np.float32)
    given = {
        "picture": picture,
        "model": "minilm",
        "revision": "c9745ed",
        "dtype": "float32",
        "text": "The developer deployed the application because it was ready.",
        "pair": None,
        "tokens": [Piece(token, id=100 + i) for i, token in enumerate(picture.key_tokens)],
        "layer": 4,
        "head": 3,
        "site": "self",
        "changes": "causal mask in every layer · L2 H5 off",
        "settings": Choices(),
        "script": "from attention import load\nrun = load('minilm').run('x')\nrun.attention(4).weights",
        "arrays": {
            "queries": np.arange(5 * n * 3, dtype=np.float32).reshape(5, n, 3),
            "masked": np.where(np.tril(np.ones((n, n), bool)), scores, -np.inf).astype(np.float32),
            "mask": np.tril(np.ones((n, n), bool)),
        },
    }
    return View(**(given | changes))
