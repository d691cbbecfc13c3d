"""What pages claim of two computations, and of buckets, holds or is not claimed."""

from types import SimpleNamespace

import pytest

from attention.analysis.measures import MEASURES
from attention.analysis.padding import Padded
from attention.analysis.positions import unreached
from attention.engine.positions import Buckets
from attention.ui.context import words as context_words
from attention.ui.cost import pattern_words
from attention.ui.cost import words as cost_words
from attention.ui.heads import words as heads_words
from attention.ui.masks import words as masks_words
from attention.ui.positions import words as positions_words

NAN = float("nan")


def padded(difference, unmasked=1.0):
    return Padded(ids=(1, 2, 0), n_real=2, difference=difference, unmasked=unmasked, largest=2.0)


def test_a_batch_is_said_to_equal_its_sentences_only_where_it_does():
    held = masks_words.proof([padded(1e-15), padded(1e-10)])
    assert "the outputs of all real tokens equal those of each sentence read alone" in held
    for rows in ([padded(1e-15), padded(1e-3)], [padded(1e-15), padded(NAN)], [padded(1e-3, unmasked=0.0)]):
        said = masks_words.proof(rows)
        assert "should equal, and <b>do not</b>," in said
        assert "tokens equal" not in said
        assert "do without it" not in said


@pytest.mark.parametrize(("difference", "held"), [(0.0, True), (1e-12, True), (1e-3, False), (NAN, False)])
def test_tiles_are_called_exact_only_where_they_are(difference, held):
    said = cost_words.equal(SimpleNamespace(difference=difference))
    assert ("Tiles are <b>exact</b>" in said) is held
    assert ("<b>more than rounding</b>" in said) is not held


@pytest.mark.parametrize(
    ("end", "others", "said"), [(0.9, 0.4, "are less alike:"), (0.4, 0.9, "are no less alike:")]
)
def test_different_words_are_called_less_alike_only_where_they_are(end, others, said):
    place = SimpleNamespace(ids=(1,))
    found = SimpleNamespace(
        word="it", alike=[1.0, end], strangers=[0.0, others], one_sentence=False, first=place, second=place
    )
    assert said in context_words.meaning(found)
    found.strangers = None
    assert not context_words.meaning(found)


@pytest.mark.parametrize(
    ("views", "ids", "said"),
    [
        ("alike", (1,), "the same tokens: nothing but where they stand tells them apart."),
        ("alike", (2,), "Both places may look at the same tokens."),
        ("unlike", (1,), "Each place may look at tokens that the other may not."),
    ],
)
def test_two_places_in_one_sentence_are_told_apart_by_what_they_may_look_at(views, ids, said):
    first, second = SimpleNamespace(ids=(1,)), SimpleNamespace(ids=ids)
    found = SimpleNamespace(one_sentence=True, strangers=None, views=views, first=first, second=second)
    assert context_words.meaning(found).endswith(said)


def test_what_nobody_looks_at_for_want_of_tokens_is_no_zero():
    assert masks_words.both("<b>x</b>", None, None, None) == (
        "There is no other token that could look at <b>x</b>."
    )
    assert "<b>0</b> hidden" in masks_words.both("x", 0.25, 0.0, 0.125)


def test_a_pattern_s_output_moves_by_a_share_or_not_measurably():
    found = SimpleNamespace(n_cells=9, cells=0.5, weight=0.75, least=0.25, moved=0.125)
    assert "the head’s output moves by <b>12.5 %</b> of its length." in pattern_words.cut_caption(found)
    found.moved = None
    assert pattern_words.cut_caption(found).endswith("how far it moves is not measurable.")


@pytest.mark.parametrize(
    ("n", "farthest", "both_ways", "said"),
    [
        (32, 128, True, " Bucket 16 is never used: no distance falls into it."),
        (32, 128, False, ""),
        (33, 128, True, " Buckets 16, 32 are never used: no distance falls into them."),
        (32, 9, True, " Buckets 9, 10, 11, 12 and 9 more are never used: no distance falls into them."),
    ],
)
def test_buckets_that_are_never_used_are_those_no_distance_reaches(n, farthest, both_ways, said):
    """Half of 33 is 16, so that 32 is nobody's; buckets of 32 up to 9 are coarser than distances are."""
    rule = Buckets(n_buckets=n, max_distance=farthest, both_ways=both_ways)
    assert positions_words.buckets(9, unreached(rule)).partition("share the last one.")[2] == said


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_only_what_is_a_mean_over_rows_is_called_one(measure):
    scene = SimpleNamespace(
        measure=measure,
        found=SimpleNamespace(n_keys=4, counted=lambda *_: 4),
        run=SimpleNamespace(n_layers=1),
        units=range(4),
    )
    for said in (heads_words.definition(scene), heads_words.glossary_entry(measure, 4)):
        assert ("mean over " in said.lower()) is (measure.key != "rank")
        assert ("one number of " in said.lower()) is (measure.key == "rank")
