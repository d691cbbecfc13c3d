"""What the page says. Whatever depends on a number is made from that number."""

from __future__ import annotations

import html
from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import by_distance
from attention.analysis.word_order import TwoOrders
from attention.figures.labels import numbered
from attention.figures.numbers import MINUS, share, signed
from attention.ui.positions.reordered import EQUAL, Reordered
from attention.ui.positions.turning import Turning

CHOSEN = {
    "at": "There is no position {}",
    "first": "{} rows cannot be compared",
    "query": "The query cannot stand at {}",
    "key": "The key cannot stand at {}",
    "slope": "There is no head {}",
    "bias_head": "There is no head {}",
}
"""What is said of a choice that there is not."""

LINE = "the same words in another order, and five ways to tell them apart"

ORDER = (
    "A token’s vector is compared with the same token’s in the other order, in float64. Attention by itself "
    "adds up over a set: it has no first and no last. Whatever a model knows of order it has from a table "
    "added to the vectors, from turning queries and keys, from a bias on the scores, or from a mask."
)


ADDED = (
    "The row of a token’s position is added to its vector before the first layer. The table is reckoned, not "
    "learned, so it has a row for any position; whether a model can use rows it never saw is another matter."
)
WIDTH = "Width of a token’s vector: columns of the table."
TABLES = (
    "The paper puts each sine beside its cosine. Marian and others put all sines first; tensor2tensor and "
    "fairseq do that with other frequencies, so theirs is another table."
)
ROWS = "Rows are compared from position 0 on."
MEANS = (
    "The mean over all pairs of the rows shown that are so far apart. What is learned need not fall steadily."
)
TABLE = "One row a position. Added to the word’s vector, and to its sentence’s where the model has those."
SHIFT = "Query and key both stand so many places further on; their distance stays."
ROTARY = (
    "Nothing is added. Each pair of channels of a query or key is turned by an angle that grows with its "
    "position; values are left alone. Two turned vectors meet at the difference of their angles."
)
ALIBI = (
    "Queries and keys are drawn at random and are the same for every head, so what differs between two heads "
    "is the bias alone. Steep heads see near, flat ones far: no position has to be learned, and a distance "
    "never seen in training is only a little further down the same line."
)
HEADS = "One row a head. What is learned here is which distances each head prefers or avoids."
RELATIVE = (
    "T5 adds no position to the vectors and does not scale its scores. It learns one number for each head "
    "and bucket of distances, and adds it to the score in every layer."
)
SIDE = "An encoder tells keys after the query from keys before it; a decoder never sees those after."


def whole(number: int) -> str:
    """A whole number with a real minus.

    >>> whole(-3), whole(4)
    ('−3', '4')
    """
    return str(number).replace("-", MINUS)


def verdict(found: TwoOrders, equal: float) -> str:
    """What a largest difference means."""
    if found.difference <= equal:
        return "the same vectors, in the other order: it cannot tell"
    return f"other vectors (entries up to {signed(found.largest, 1)}): it can tell"


def moved(result: Reordered) -> str:
    """What to notice in the bars."""
    told, blind, *gone = result.results.values()
    at = int(told.distances.argmax())
    name = html.escape(numbered(result.first)[at])
    most = f"<bdi>{name}</bdi>, which turned most: cosine distance {share(float(told.distances[at]))}"
    if blind.difference <= EQUAL:
        return f"<b>Notice</b> {most} with positions, none without them."
    without_mask = any(found.difference <= EQUAL for found in gone)
    rest = " Without the mask too, the order is gone." if without_mask else ""
    return (
        f"<b>Notice</b> {most} with positions. Without them the vectors still turn: this model’s mask hides "
        f"what comes later, and how much a token may see tells where it stands.{rest}"
    )


def sinusoid(table: str, width: int) -> str:
    """What to notice in the sinusoidal table."""
    n_pairs = width // 2
    halves = "row 0: all the sines, 0, and then all the cosines, 1"
    slowest = f"{10_000 ** (2 * ((width + 1) // 2 - 1) / width):,.0f} times"
    first = {
        "interleaved": "row 0, which is 0, 1, 0, 1, …: sines of 0 and cosines of 0 in turn",
        "halves": halves,
        "spread": f"{halves}; the slowest wave is 10,000 times as long as the quickest (in the "
        f"paper {slowest})",
    }["halves" if table == "spread" and n_pairs == 1 else table]
    if n_pairs == 1:
        return f"<b>Notice</b> {first}. The one pair is the hand of a clock."
    side = "from left to right" if table == "interleaved" else "within each half"
    return f"<b>Notice</b> {first}. Waves grow longer {side}: the {n_pairs} pairs are hands of clocks."


def dots(at: int, other: int, peak: float, difference: float) -> str:
    """What to notice in the dot products."""
    if difference > EQUAL:
        return (
            f"An odd width leaves a last sine without its cosine. <b>Notice</b> that the curves of positions "
            f"{at} and {other} come apart (by {share(difference)} at most): only whole pairs "
            "make a dot product that knows the distance alone."
        )
    return (
        f"<b>Notice</b> that the peak, {signed(peak, 1)}, is at the position itself, and that the curves of "
        f"positions {at} and {other} are one: the dot product knows only the distance (largest difference "
        f"{share(difference)})."
    )


def learned(model: str, alike: Float[Tensor, "pos other"]) -> str:
    """What to notice in a learned table's cosines."""
    means, distance = by_distance(alike), len(alike) // 2
    beside, far = float(means[1]), float(means[distance])
    first = float(alike[0, 1:].mean())
    kind = "are alike" if beside > far else "are no more alike than distant ones"
    return (
        f"Nobody told {html.escape(model)} what a position is: each row was learned by itself. "
        f"<b>Notice</b> that neighbours {kind}: the mean cosine is {signed(beside, 2)} one place apart and "
        f"{signed(far, 2)} at {distance} places. Position 0 has {signed(first, 2)} with the others on "
        "average."
    )


def no_table(model: str, way: str) -> str:
    """What is said of a model without learned positions."""
    return f"{model} has no table of learned positions. What it has: {way}."


def no_turn(model: str, way: str) -> str:
    """What is said of a model that turns nothing."""
    return f"{model} does not turn queries and keys; these are drawn at random. What it has: {way}."


def dials_title(pair: Turning) -> str:
    """Who turns."""
    query, key = f"position {pair.query_at}", f"position {pair.key_at}"
    if pair.tokens:
        query = f"<bdi>{html.escape(pair.tokens[pair.query_at])}</bdi> at {query}"
        key = f"<bdi>{html.escape(pair.tokens[pair.key_at])}</bdi> at {key}"
    return f'The query of <span class="q">{query}</span> and the key of <span class="k">{key}</span>'


def dials(pair: Turning) -> str:
    """What to notice in the dials."""
    places = f"{abs(pair.distance)} {'place' if abs(pair.distance) == 1 else 'places'}"
    return (
        f"Each dial is a pair of channels: the query’s hand ends in a dot, the key’s in a square. They "
        f"stand {places} apart. <b>Notice</b> that the first pairs whirl and the last hardly move: quick "
        "hands tell neighbours apart, slow ones tell near from far."
    )


def turned(difference: float, shift: int) -> str:
    """What to notice in the scores by distance."""
    return (
        f"<b>Notice</b> that both curves are one: moving query and key by {shift} places together changes no "
        f"score (largest difference {share(difference)}). A score depends on the distance alone, and on its "
        "sign."
    )


def kept(side: str, stretched: float) -> str:
    """What to notice in queries or keys before and after their turn."""
    return (
        "<b>Notice</b> where the two differ: in the first channels of each half, whose pairs turn quickest, "
        f"and more the later the position. Each {side}’s length stays (largest difference {share(stretched)} "
        "in the model’s own precision); position 0 does not turn."
    )


def falls(head: int, slope: float) -> str:
    """What to notice in a bias that falls."""
    return (
        f"Head {head} takes {share(slope)} off a score for each place back. Nothing is learned, and nothing "
        "is added to the vectors. <b>Notice</b> that the last row falls evenly to the left."
    )


def slopes(n_heads: int) -> str:
    """What to notice in the slopes."""
    if n_heads == 1:
        return "One head has one slope: 2 to the power of −8."
    below = 1 << (n_heads.bit_length() - 1)
    if below == n_heads:
        return "<b>Notice</b> even steps on a logarithmic axis: each slope is the same share of the last one."
    return (
        f"{n_heads} is no power of two. <b>Notice</b> that the first {below} slopes are those of {below} "
        f"heads, and the rest are every other one of {2 * below}, as in the authors’ code: not sorted."
    )


def fallen(head: int, before: float, after: float) -> str:
    """What the bias does to weights."""
    return (
        f"<b>Notice</b> how the weights move to the diagonal: on average head {head} looks "
        f"{signed(before, 2)} places back without its bias and {signed(after, 2)} with it."
    )


def buckets(last: int, unused: Sequence[int]) -> str:
    """What to notice in the buckets, and which of them no distance falls into."""
    return (
        "<b>Notice</b> single steps near 0 and long ones far away: distant places share a bucket, and from "
        f"{last} places on all share the last one.{_never(unused)}"
    )


def _never(unused: Sequence[int]) -> str:
    if not unused:
        return ""
    if len(unused) == 1:
        return f" Bucket {unused[0]} is never used: no distance falls into it."
    more = f" and {len(unused) - 4} more" if len(unused) > 4 else ""
    return f" Buckets {', '.join(map(str, unused[:4]))}{more} are never used: no distance falls into them."


def relative(source: str, head: int) -> str:
    """What to notice in a relative bias."""
    return (
        f"{source} <b>Notice</b> that head {head} has one number along each diagonal: the bias knows the "
        "distance and nothing else."
    )
