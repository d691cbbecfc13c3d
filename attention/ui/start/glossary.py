"""The words of the field, each in two sentences at most, with the place where it can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention.ui.start import links
from attention.ui.start.links import Link


@dataclass(frozen=True, kw_only=True)
class Term:
    """One word of the field.

    Attributes:
        name: The word; HTML of our own.
        text: What it means; likewise.
        link: Where it can be tried.
    """

    name: str
    text: str
    link: Link


TEXT = (
    Term(
        name="Token",
        text="What a model reads instead of letters: a word, a piece of one, or a sign. Everything here "
        "happens between tokens.",
        link=links.explore("A sentence as tokens"),
    ),
    Term(
        name="Word piece",
        text="A part of a word that the vocabulary has no token for as a whole. In MiniLM’s vocabulary a "
        "piece that continues a word begins with ##.",
        link=links.explore("A word in pieces", text="The lorry hit the hedgerows.", query=2),
    ),
    Term(
        name="Special token",
        text="A token that nobody typed, such as [CLS] at the beginning and [SEP] at the end: signs that the "
        "model was trained with.",
        link=links.heads("Weight on special tokens", measure="special"),
    ),
    Term(
        name="Position",
        text="Where a token stands, counted from 0. Attention by itself does not know it; each model is told "
        "in its own way.",
        link=links.concept("positions", "With and without"),
    ),
)
HEAD = (
    Term(
        name="<span class='q'>Query</span>",
        text="What a token asks for: its vector times the learned matrix W<sub>Q</sub>. Queries are the rows "
        "of every picture.",
        link=links.worked("Queries by hand", query="0", key="1"),
    ),
    Term(
        name="<span class='k'>Key</span>",
        text="What a token is found by: its vector times W<sub>K</sub>. A query is compared with every key.",
        link=links.worked("Keys by hand", query="0"),
    ),
    Term(
        name="<span class='v'>Value</span>",
        text="What a token hands on: its vector times W<sub>V</sub>. The output is a mix of values.",
        link=links.worked("Guess an output", predict="output"),
    ),
    Term(
        name="Score",
        text="How well a query and a key fit: multiplied dimension by dimension and added up. It can be "
        "negative and has no upper limit.",
        link=links.worked("Guess a score", predict="scores"),
    ),
    Term(
        name="Scaling",
        text="Dividing scores by √d<sub>k</sub>, so that they do not grow with the length of queries and "
        "keys.",
        link=links.concept("scaling", "Large and small heads", d="1024"),
    ),
    Term(
        name="Softmax",
        text="Turns a row of scores into shares of 1: exp of each, over the sum of all. The largest gains "
        "most, none becomes 0 unless it was −∞.",
        link=links.worked("A saturated row", q="10,0;0,10"),
    ),
    Term(
        name="Attention weight",
        text="The share of one key’s value in what a query takes away. It says what was mixed, not why.",
        link=links.explore("Weights of one head", key=5),
    ),
    Term(
        name="Entropy",
        text="How widely a query spreads its weight: 0 bits for a single key, log<sub>2</sub> N when all N "
        "get the same.",
        link=links.heads("Heads by entropy", measure="entropy", sort="value"),
    ),
)
RULES = (
    Term(
        name="Mask",
        text="Says which keys a query may look at. What is masked has a score of −∞ and a weight of "
        "exactly 0.",
        link=links.concept("masks", "A gallery of masks", pattern="longformer"),
    ),
    Term(
        name="Causal",
        text="A mask under which a token looks at itself and at what came before, as when a model writes.",
        link=links.concept("masks", "The causal mask", pattern="causal"),
    ),
    Term(
        name="Padding",
        text="Tokens without meaning that make short sentences as long as the longest of a batch. A mask "
        "keeps them from being looked at.",
        link=links.concept("masks", "Padding and its mask", pattern="padding"),
    ),
    Term(
        name="RoPE",
        text="Rotary positions: queries and keys are turned by an angle that grows with the position, so "
        "that what turning does to a score depends on how far apart the two stand.",
        link=links.concept(
            "positions", "Turning pairs", {"model": "smollm2", "layer": 0, "head": 0}, part="rotary"
        ),
    ),
    Term(
        name="Attention sink",
        text="A token, often the first, that gets nearly all weight of a head, whatever it says. In this "
        "sentence SmolLM2’s L18 H8 gives nearly everything to it.",
        link=links.explore("A sink in SmolLM2", model="smollm2", layer=18, head=8, query=6),
    ),
)
MODEL = (
    Term(
        name="Head",
        text="One set of W<sub>Q</sub>, W<sub>K</sub> and W<sub>V</sub> with its own weights. This one looks "
        "at the token before, whatever it is.",
        link=links.explore("A head with one habit", layer=0, head=2),
    ),
    Term(
        name="Layer",
        text="Several heads side by side, and a part that works on each token alone. Layers follow one "
        "another; both are counted from 0.",
        link=links.heads("All layers at once", measure="distance"),
    ),
    Term(
        name="Residual stream",
        text="The vector each token carries from layer to layer. Attention and MLP do not replace it: they "
        "add to it.",
        link=links.block("One word’s stream"),
    ),
    Term(
        name="d<sub>model</sub>",
        text="How many numbers a token’s vector in the residual stream has: 384 in MiniLM.",
        link=links.worked("A vector of three", d="3"),
    ),
    Term(
        name="d<sub>head</sub>",
        text="How many numbers a query and a key have, also called d<sub>k</sub>: 32 in MiniLM, whose "
        "12 heads share the 384.",
        link=links.worked("A head of width 4", dk="4"),
    ),
    Term(
        name="n<sub>kv_heads</sub>, GQA",
        text="In grouped-query attention several heads share one set of keys and values. SmolLM2 has 9 heads "
        "and 3 sets: heads 0, 1 and 2 share the first.",
        link=links.explore("A group in SmolLM2", model="smollm2", layer=5, head=1, query=6),
    ),
)
GLOSSARY: Mapping[str, tuple[Term, ...]] = {
    "What is read": TEXT,
    "One head": HEAD,
    "Rules and places": RULES,
    "The whole model": MODEL,
}
