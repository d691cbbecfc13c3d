"""What the page about masks says."""

from __future__ import annotations

import html
from collections.abc import Sequence

from attention.analysis.checks import LAW, largest
from attention.analysis.padding import Padded
from attention.figures.numbers import exact, percent, share, signed
from attention.ui.masks.choices import MOST_BY_HAND, by_hand_limit
from attention.ui.masks.scene import MaskScene

TITLE = "Who may attend to whom?"
LINE = "change the mask, and see what becomes of scores, weights and outputs"


def count(scene: MaskScene) -> str:
    """How much of N² is kept: "54 of 144 cells, 38 % of N²"."""
    n_all = len(scene.kept.per_query) * scene.kept.n_keys
    return f"{scene.kept.cells:,} of {n_all:,} cells, {percent(scene.kept.share)} of N²"


def mask_name(scene: MaskScene) -> str:
    """What the mask is called."""
    chosen = scene.choices.chosen
    return chosen.title + (", causal too" if scene.choices.causal and not chosen.causal else "")


def by_hand(scene: MaskScene) -> str:
    """How many cells the reader changed; nothing where none."""
    n = len(scene.choices.flipped)
    return f"{n} {'cell' if n == 1 else 'cells'} changed by hand" if n else ""


def blind(scene: MaskScene) -> str:
    """Which rows may see nothing, and what that means; nothing where there is none."""
    rows = scene.kept.blind
    if not rows:
        return ""
    names = few([f"⊘ <bdi>{html.escape(scene.names[at])}</bdi> ({at})" for at in rows])
    if len(rows) == 1:
        return (
            f"<b>{names} sees nothing</b>: its row of weights is 0 throughout, and so is what it takes away."
        )
    return (
        f"<b>{names} see nothing</b>: their rows of weights are 0 throughout, and so is what they take away."
    )


def few(names: Sequence[str]) -> str:
    """At most four names, and how many more there are."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def editing(scene: MaskScene) -> str:
    """How the matrix is edited; no picture of it says so."""
    n = len(scene.names)
    return "Click a cell to open or to block it." if n <= MOST_BY_HAND else by_hand_limit(n)


def weights_caption(scene: MaskScene) -> str:
    """What becomes of the weight of blocked cells."""
    if len(scene.kept.blind) == len(scene.kept.per_query):
        return blind(scene)
    if scene.allowed.all():
        return "Here the mask blocks nothing: every row shares its weight among all tokens."
    row = "each row that sees anything" if scene.kept.blind else "each row"
    return f"<b>Notice</b> that {row} still sums to 1: what a blocked key would get, the open ones share."


def moved_caption(scene: MaskScene) -> str:
    """How far the model's output moved, and where most."""
    largest = float(scene.moved.max())
    where = f"<bdi>{html.escape(scene.names[int(scene.moved.argmax())])}</bdi>"
    if largest < 1e-6:
        return f"<b>Notice</b> that nothing moves: {_still(scene)}"
    ahead = (
        " This model was not trained to see what comes later: that is a what if." if scene.sees_ahead else ""
    )
    return (
        f"The mask is in force in every layer. <b>Notice</b> {where}, which moves most ({exact(largest)}): "
        f"0 is the same direction, 1 a right angle.{ahead}"
    )


def _still(scene: MaskScene) -> str:
    """Why an output stays as it is."""
    if scene.cuts:
        return "what the mask hides had next to no part in the outputs of this sentence."
    return "in this sentence the mask hides nothing that the model's own mask leaves open."


def rows_caption(scene: MaskScene) -> str:
    """Between which bounds the rows lie."""
    least, most = min(scene.kept.per_query), max(scene.kept.per_query)
    alike = f"Every token may attend to {most} of {scene.kept.n_keys}."
    return alike if least == most else f"From {least} to {most} of {scene.kept.n_keys} tokens a row."


BEFORE = (
    "What the head would make its weights of: <i>q · k</i>, scaled, before this layer masks it. The layers "
    "below were masked already: from L1 on these are not the scores of the model left alone."
)
AFTER = (
    "<i>softmax(S + M)</i>, where <i>M</i> is 0 or −∞, and exp(−∞) = 0. <b>Notice</b> that the open scores "
    "stay as they were."
)

OPEN_PADDING = "Not to be opened in Explore, which hides padding from every token."

BATCH = "A model reads a batch as a rectangle: short sentences are filled up with padding, hidden by a mask."


RECTANGLE = (
    "Left: the largest difference of an entry from the sentence read alone. Each place: token, id, padding "
    "mask (1 real, 0 padding)."
)


def without_caption(rows: Sequence[Padded]) -> str:
    """What the differences are held against, and who has none."""
    full = [number for number, row in enumerate(rows, 1) if row.n_real == len(row.ids)]
    longest = f" Sentence {full[0]}, the longest, has no padding." if len(full) == 1 else ""
    return f"Entries of the outputs reach {exact(max(row.largest for row in rows))}.{longest}"


def proof(rows: Sequence[Padded]) -> str:
    """What the batch shows: the largest difference with the mask, and what goes wrong without it."""
    lead, held = _law(largest(row.difference for row in rows))
    if not held:
        return lead
    if all(row.n_real == len(row.ids) for row in rows):
        return f"All sentences are of one length: nothing is padded. {lead}"
    worst = max(row.unmasked for row in rows)
    if worst <= LAW:
        unseen = "this model never looks at what comes later, so padding at the end is unseen."
        return f"{lead} So they do without it: {unseen}"
    number = 1 + max(range(len(rows)), key=lambda at: rows[at].unmasked)
    return (
        f"{lead} Without it one differs by up to <b>{signed(worst)}</b>, in sentence {number}: real "
        "tokens then mix in the vectors of padding."
    )


def _law(difference: float) -> tuple[str, bool]:
    """Whether a batch is read as its sentences are alone, in a sentence and as such."""
    held = difference <= LAW
    said = "equal" if held else "should equal, and <b>do not</b>,"
    return (
        f"With the padding mask, the outputs of all real tokens {said} those of each sentence read alone: "
        f"an entry differs by <b>{share(difference)}</b> at most (float64)."
    ), held


def both(position_name: str, before: float | None, hidden: float | None, replaced: float | None) -> str:
    """What a word gets from the other tokens, as it is and treated in both ways."""
    if before is None or hidden is None or replaced is None:
        return f"There is no other token that could look at {position_name}."
    return (
        f"Mean weight the other tokens give it, over all layers and heads: <b>{share(before)}</b> as it is, "
        f"<b>{share(hidden)}</b> hidden by a mask, <b>{share(replaced)}</b> where [MASK] stands for "
        f"{position_name}."
    )


NO_MASK_TOKEN = "has no [MASK] token: it was not trained to guess words that are taken out."

TWO_MASKS = (
    "Pre-training puts the token [MASK] in a word’s place: neighbours may still attend to it. An attention "
    "mask hides the place itself."
)
