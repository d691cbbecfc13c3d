"""The path: seven steps, each a page with a prepared state and one thing to see there."""

from __future__ import annotations

from dataclasses import dataclass

from attention.ui.start import links
from attention.ui.start.links import Link


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """One step of the path.

    Attributes:
        title: What it is about.
        text: What to do and to see there; HTML of our own.
        links: Where to go; the first is the step's own.
    """

    title: str
    text: str
    links: tuple[Link, ...]


PATH = (
    PathStep(
        title="See what one word takes from the others",
        text="<b>it</b> was ready: the developer, or the application? In one head of a small model the "
        "sentence is lit by what <span class='q'>it</span> mixes into itself. Click another word, then "
        "another head.",
        links=(links.explore("Explore “it”"),),
    ),
    PathStep(
        title="Reckon one head by hand",
        text="Two words, two numbers each, seven steps with every number in its cell. The weights are hidden "
        "until you have guessed one of them.",
        links=(links.worked("Guess a weight", predict="weights"),),
    ),
    PathStep(
        title="Ask why scores are divided by √d<sub>k</sub>",
        text="Long vectors make scores lie far apart, and softmax then gives nearly everything to one key. "
        "See what dividing saves, then take it away from a real head.",
        links=(links.concept("scaling", "Scores of 1,024 dimensions", d="1024"),),
    ),
    PathStep(
        title="Forbid a word to look ahead",
        text="A mask says who may look at whom; a model that writes may not look at what it has not written "
        "yet. Choose a mask and see weights and outputs change, or block single cells.",
        links=(links.concept("masks", "The causal mask", pattern="causal"),),
    ),
    PathStep(
        title="Shuffle the words",
        text="Without positions a model reads a bag of words: <b>dog chased cat</b> and <b>cat chased "
        "dog</b> give the same vectors in another order. With positions they do not.",
        links=(links.concept("positions", "Dog and cat"),),
    ),
    PathStep(
        title="Look round attention",
        text="Attention is one part of a block. Follow one word’s vector through every layer and see what "
        "each part adds; then see <b>bank</b> become two vectors in two sentences.",
        links=(
            links.block("Inside a block"),
            links.concept("context", "“bank” in two sentences", word="bank"),
        ),
    ),
    PathStep(
        title="Count what a long text costs",
        text="Twice the tokens make four times the scores. Measure it on this machine, and see how the same "
        "result is found without ever holding the whole matrix.",
        links=(links.concept("cost", "Scores, seconds, tiles"),),
    ),
)
