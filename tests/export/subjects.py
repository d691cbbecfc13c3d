"""What a file may show, made by hand for the tests of exports."""

import numpy as np

from attention.export import png
from attention.figures.head_grid import HeadGrid
from attention.figures.lines import Lines, Strand
from attention.figures.lit_sentence import LitChip, LitSentence
from attention.figures.neurons import Neurons
from attention.figures.step_strip import step_strip
from attention.figures.theme import LIGHT
from tests.export.reading import rgb
from tests.export.views import view
from tests.figures.heads import head

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0]])
QUERIES, KEYS = ("I", "learn"), ("je", "##ta", "<b>")


def strand(name="H4", weights=WEIGHTS, drawn=None):
    return Strand(name=name, weights=weights, drawn=weights > 0.15 if drawn is None else drawn)


def lines(**changes):
    given = {
        "strands": (strand(),),
        "allowed": WEIGHTS > 0,
        "query_tokens": QUERIES,
        "key_tokens": KEYS,
        "query": 0,
        "key": 1,
        "mass": 90,
    }
    return Lines(**(given | changes))


def sentence(**changes):
    given = {
        "chips": (
            LitChip("CLS", True, False),
            LitChip("lo", False, False),
            LitChip("rry", False, True),
            LitChip("<b>", False, False),
        ),
        "light": np.array([0.5, 0.37, 0.13, 0.0]),
        "allowed": np.array([True, True, True, False]),
        "source": "gives",
        "query": 1,
        "key": 0,
        "query_name": "lo",
    }
    return LitSentence(**(given | changes))


def steps(arrays=None, query=1, key=0, palette=LIGHT, **changes):
    arrays = head(5, allowed=np.tril(np.ones((5, 5), bool))) if arrays is None else arrays
    n_queries, n_keys = arrays.scores.shape
    tokens, keys = [f"q{at}" for at in range(n_queries)], [f"k{at}" for at in range(n_keys)]
    given = {"tokens": tokens, "key_tokens": keys, "query": query, "key": key, "palette": palette}
    return step_strip(arrays, **(given | changes))


def neurons(**changes):
    """q = (1, 2) against three keys, the last one masked; weights softmax of 0 and 1.5 over √2."""
    weights = np.exp(np.array([0, 1.5]) / np.sqrt(2))
    weights = np.append(weights / weights.sum(), 0.0)
    scores = np.array([0.0, 1.5, -1.0])
    given = {
        "query": np.array([1.0, 2.0]),
        "keys": np.array([[2.0, -1.0], [0.5, 0.5], [-1.0, 0.0]]),
        "scores": scores,
        "scaled": scores / np.sqrt(2),
        "weights": weights,
        "lengths": weights / 2,
        "allowed": np.array([True, True, False]),
        "query_token": "it",
        "query_position": 7,
        "key_tokens": ("cat", "<b>", "mat"),
        "key_positions": (0, 1, 2),
        "key": 0,
        "scale_text": "÷ √2",
        "n_keys": 3,
    }
    return Neurons(**(given | changes))


def heads(**changes):
    shades = np.zeros((2, 3, 4, 5), np.uint8)
    shades[1, 2] = np.arange(20).reshape(4, 5) * 13
    given = {"shades": shades, "selected": (1, 2), "heads_off": frozenset({(0, 1)})}
    return HeadGrid(**(given | {"n_queries": 4, "n_keys": 5} | changes))


def shown(subject):
    """A view of it."""
    return view(subject=subject)


def pixels(subject, palette=LIGHT):
    """Its PNG as an array."""
    return rgb(png(shown(subject), palette))
