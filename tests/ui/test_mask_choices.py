"""The choices of the page about masks: a link brings them back; what a sentence does not have is told."""

from dataclasses import fields, replace
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode

import pytest

from attention.engine import masks
from attention.engine.masks import Causal, Dilated, Full, Global, Prefix, Random, Window
from attention.ui.masks.choices import PAGE, MaskChoices, fit, lines
from attention.ui.masks.patterns import PATTERNS
from attention.ui.masks.scene import MaskScene

ALL = MaskChoices(
    pattern="bigbird",
    causal=True,
    reach=1,
    step=3,
    tokens=frozenset({0, 4, 5}),
    links=4,
    seed=11,
    size=5,
    prefix=2,
    pad=7,
    flipped=frozenset({(1, 2), (3, 0)}),
    query=3,
    word=4,
    batch=("One & two.", "Three = 3 + 0?"),
)


def read(params):
    """Each entry of a link by its own reader, as PageState reads it."""
    fields = {PAGE.entries[key].field: PAGE.entries[key].read(text) for key, text in params.items()}
    return replace(MaskChoices(), **fields)


NONE = replace(ALL, tokens=frozenset(), batch=())


@pytest.mark.parametrize("choices", [ALL, NONE])
def test_every_choice_makes_the_round_trip(choices):
    written = {key: entry.write(getattr(choices, entry.field)) for key, entry in PAGE.entries.items()}
    assert {entry.field for entry in PAGE.entries.values()} == set(MaskChoices.__dataclass_fields__)
    assert read(dict(parse_qsl(urlencode(written)))) == choices


def test_the_keys_of_a_link_are_written_as_documented():
    written = {key: entry.write(getattr(ALL, entry.field)) for key, entry in PAGE.entries.items()}
    assert written["global"] == "0.4-5"
    assert written["flip"] == "1-2.3-0"
    assert written["batch"] == "One & two.\nThree = 3 + 0?"
    assert PAGE.entries["global"].write(frozenset()) == "none"


def test_the_rules_use_the_readers_numbers():
    window, tokens = Window(1, 1), Global({0, 4, 5})
    base = window | tokens
    assert ALL.rule(9) == Causal() & (base | Random(4, 9, 11, base))
    assert replace(ALL, pattern="dilated", causal=False).rule(9) == Dilated(1, 3)
    assert replace(ALL, pattern="sliding-causal").rule(9) == Window(1, 0)
    assert replace(ALL, pattern="prefix", causal=False).rule(9) == Prefix(2)
    assert replace(ALL, pattern="padding", causal=False).rule(9) == Full()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_number_of_a_mask_is_a_field_and_changes_it(pattern):
    choices = replace(MaskChoices(), pattern=pattern)
    other = {"tokens": frozenset({3}), "seed": 5, "pad": 9}
    for name in PATTERNS[pattern].numbers:
        changed = replace(choices, **{name: other.get(name, 1 if name != "step" else 4)})
        assert name == "pad" or changed.rule(12) != choices.rule(12)


def test_what_fits_is_left_alone():
    assert fit(ALL, 9, 9) == (ALL, ())


def test_what_does_not_fit_is_taken_out_and_told():
    fitted, told = fit(ALL, 4, 3)
    assert fitted == replace(ALL, tokens=frozenset({0}), word=None)
    assert told == (
        "There is no global token 4, 5: the sentence has 3 tokens (0–2).",
        "There is no word 4: the sentence has 3 tokens (0–2).",
    )
    fitted, told = fit(ALL, 3, 3)
    assert fitted.flipped == {(1, 2)}
    assert fitted.query is None
    assert told[0] == "There is no cell 3 → 0: the sentence has 3 tokens (0–2)."
    assert told[-1] == "There is no row 3: the sentence has 3 tokens (0–2)."
    fitted, told = fit(ALL, 70, 70)
    assert not fitted.flipped
    assert told == ("Cells are changed by hand in up to 64 tokens; this has 70.",)


def test_many_lost_cells_are_told_in_one_sentence():
    many = replace(ALL, flipped=frozenset((0, key) for key in range(5, 15)), tokens=frozenset(), word=None)
    assert fit(many, 9, 9)[1] == (
        "There is no cell 0 → 9, 0 → 10, 0 → 11, 0 → 12 and 2 more: the sentence has 9 tokens (0–8).",
    )


def test_blank_lines_are_no_sentences():
    assert lines(" One. \n\n\t\nTwo.\n") == ("One.", "Two.")
    assert lines("") == ()


@pytest.mark.parametrize(
    ("own", "rule", "cuts", "ahead"),
    [
        (masks.Full(), masks.Full(), False, False),
        (masks.Full(), masks.Cells({(2, 0)}), True, False),
        (masks.Full(), masks.Keys({3, 4}), False, False),  # padding alone
        (masks.Causal(), masks.Full(), False, True),
        (masks.Causal(), masks.Causal(), False, False),
        (masks.Window(1, 0), masks.Causal(), False, False),  # it opens what came before, and nothing later
        (masks.Window(1, 0), masks.Window(0, 0), True, False),
    ],
)
def test_why_an_output_stays_is_read_off_the_masks(own, rule, cuts, ahead):
    """A weak cell can be blocked and move nothing that is seen: then the mask did hide something."""
    layer = SimpleNamespace(attention=SimpleNamespace(config=SimpleNamespace(own_mask=own)))
    stack = SimpleNamespace(layers=(layer,))
    run = SimpleNamespace(model=SimpleNamespace(transformer=SimpleNamespace(stack=stack)))
    blank = dict.fromkeys(field.name for field in fields(MaskScene))
    known = {"run": run, "untouched": SimpleNamespace(n_real=3), "allowed": masks.dense(rule, 5).numpy()}
    scene = MaskScene(**(blank | known))
    assert (scene.cuts, scene.sees_ahead) == (cuts, ahead)
