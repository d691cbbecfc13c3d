"""What the worked example says."""

from __future__ import annotations

import html

from attention.figures.entries import entry
from attention.figures.labels import markdown_label, numbered
from attention.ui.words import role
from attention.ui.worked.guess import Guess
from attention.ui.worked.presets import shown
from attention.ui.worked.scene import WorkedScene

TAGLINE = "one attention head, small enough to reckon by hand"
STALE = "The pictures below still show the last numbers that could all be read."
STALE_SUM = "The sum below still uses the last numbers that could all be read."
NO_PRESET = "Change a cell and <b>notice</b> which steps change with it, and which do not."
PREDICTING = "What this example shows comes back after your guess."
AFTER_GUESS = "comes back after your guess"
QUESTION = (
    "Reckon it by hand from the steps that are shown, or trust your feeling. A click on any cell asks for "
    "that one instead."
)
HOW_TO = "Click a cell and type: everything below follows."


def named(scene: WorkedScene, position: int) -> str:
    """A token as a sentence names it; a word that occurs twice carries its position."""
    return html.escape(numbered(scene.tokens)[position])


def point(scene: WorkedScene) -> str:
    """What this example is there to show; not while it would give away what is to be guessed."""
    if scene.desk.hidden:
        return PREDICTING
    preset = shown(scene.desk)
    return NO_PRESET if preset is None else preset.point


def mixes(scene: WorkedScene) -> str:
    """The row of the query in focus, in a sentence."""
    row, query = scene.head.weights[scene.query], role("q", named(scene, scene.query))
    largest = (-row).argsort(kind="stable")
    listed = ", ".join(
        f"{role('k', named(scene, int(at)))} {entry(float(row[at]))}" for at in largest if row[at] > 0
    )
    return f"{query} mixes {listed}."


def steps_caption(scene: WorkedScene) -> str:
    """How to read the board."""
    query, key = role("q", named(scene, scene.query)), role("k", named(scene, scene.key))
    return (
        f"The blue line is {query}: from its vector, through its scores against every key, to the mix it "
        f"takes away. The red row is the key {key}. Click any cell to follow another pair. A <b>score</b> "
        "can be negative (amber above zero, steel below); a <b>weight</b> is a share of 1. In X, Q, K, V "
        "and Z grey is below zero."
    )


def question(scene: WorkedScene) -> str:
    """Which number is asked for, as a label: Markdown."""
    query, key = (markdown_label(numbered(scene.tokens)[at]) for at in scene.desk.pair)
    match scene.desk.predict:
        case "scores":
            return f"The score of query {query} and key {key}?"
        case "scaled":
            return f"The scaled score of query {query} and key {key}?"
        case "output":
            return f"What does {query} take away in dimension {dimension(scene, scene.key)}?"
    return f"How much weight does {query} give to {key}?"


def dimension(scene: WorkedScene, key: int) -> int:
    """The dimension of the output that stands for a key's column: the nearest there is."""
    return int(min(key, scene.head.head_output.shape[1] - 1))


def answer(scene: WorkedScene, guess: Guess, guessed: str, true: str, how_far: str) -> str:
    """What was guessed and what is true."""
    query, key = role("q", named(scene, guess.query)), role("k", named(scene, guess.key))
    cell = f"{query} and {key}"
    if scene.desk.predict == "output":
        cell = f"{query} in dimension {dimension(scene, guess.key)}"
    return f"You guessed {guessed} for {cell}; it is <b>{true}</b>: {how_far}."


def cell_title(scene: WorkedScene) -> str:
    """Who looks at whom."""
    query, key = role("q", named(scene, scene.query)), role("k", named(scene, scene.key))
    return f"{query} looks at {key}"


def score_caption(scene: WorkedScene) -> str:
    """What the written products are."""
    n = scene.head.queries.shape[1]
    many = "one product" if n == 1 else f"{n} products, one per dimension, added up"
    query, key = role("q", "query"), role("k", "key")
    return f"The score of this {query} and this {key}: {many}. Then the way from the score to the weight."


def mix_caption(scene: WorkedScene) -> str:
    """What the table of values is."""
    query = role("q", named(scene, scene.query))
    return (
        f"What {query} takes away: each {role('v', 'value')} times its weight, added into the "
        f"{role('z', 'output')}."
    )


ROW_CAPTION = (
    "Four scaled scores, and what softmax makes of them: exp of each, then each exp over their sum. "
    "<b>Notice</b> that nothing can become negative, and that the largest score gains most."
)
ROW_PRINTED = (
    "For the row 1.2, 2.5, 1.0, 2.0 one often finds 0.13, 0.47, 0.11, 0.29 in print. That row is rounded by "
    "hand: the second share is 0.4757, which rounds to 0.48; with it the four would add up to 1.01, so "
    "somebody took the 0.01 back. To three digits the true row is <b>0.130, 0.476, 0.106, 0.289</b>."
)
MIX_CAPTION = (
    f"A row of weights over four {role('v', 'values')}: each value times its weight, added dimension by "
    f"dimension into the {role('z', 'output')}. Weights and values are yours to change."
)
ROOT_CAPTION = (
    "A score is a sum of d<sub>k</sub> products. When queries and keys have entries of about size 1, each "
    "product is about 1 above or below zero, and 64 of them partly cancel: their sum is typically about "
    "√64 = 8 away from zero, not 64. Divided by 8 it is about 1 again, whatever the width of the head."
)
ROOT_NOTICE = (
    "<b>Notice</b> what the division saves: without it one key takes everything, and a small change of a "
    "score changes nothing."
)


def weights_told(total: float) -> str:
    """Whether a row of weights is one that softmax could make; nothing is mended."""
    if abs(total - 1) < 1e-9:
        return "The weights add up to 1."
    return (
        f"<b>These weights add up to {entry(total)}, not to 1.</b> Softmax never gives such a row; the sum "
        "below takes them as they are."
    )
