import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.export import fonts


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("loan", "loan"),
        ("猫", "⟨732B⟩"),
        ("a🙂b", "a⟨1F642⟩b"),
        ("\x00", "⟨0000⟩"),
        ("\x7f", "⟨007F⟩"),
        ("\n", "↵"),
        ("שלום مرحبا αβγ", "שלום مرحبا αβγ"),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_our_face_lacks_is_written_by_its_code(text, drawn):
    assert fonts.drawable(text) == drawn


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=30), st.booleans())
def test_every_label_can_be_drawn_and_is_short(token, bold):
    label = fonts.label(token, bold=bold)
    assert 1 <= len(label) <= 24
    assert fonts.width(label, 9, bold=bold) >= 0  # a missing glyph would warn, and warnings are errors


def test_width_is_that_of_the_letters():
    assert fonts.width("mm", 10) == pytest.approx(2 * fonts.width("m", 10), rel=0.05)
    assert fonts.width("m", 20) == pytest.approx(2 * fonts.width("m", 10), rel=0.05)
    assert fonts.width("m", 10, bold=True) > fonts.width("m", 10)


def test_wrapping_keeps_words_and_fits():
    lines = fonts.wrap("The bank approved the loan yesterday", 8, 80, most=9)
    assert " ".join(lines) == "The bank approved the loan yesterday"
    assert all(fonts.width(line, 8) <= 80 for line in lines)
    assert len(lines) > 1


def test_wrapping_cuts_what_is_too_much():
    lines = fonts.wrap("The bank approved the loan yesterday", 8, 80, most=1)
    assert len(lines) == 1
    assert lines[0].endswith("…")
    assert fonts.width(lines[0], 8) <= 80
    (long,) = fonts.wrap("x" * 500, 8, 80, most=2)
    assert long.endswith("…")
    assert fonts.width(long, 8) <= 80
    assert fonts.wrap("", 8, 80, most=2) == fonts.wrap(" " * 5000 + "x", 8, 80, most=2) == []
    assert fonts.wrap("wide", 8, 1, most=2) == ["…"]


def test_embedded_letters_are_few_bytes():
    rule = fonts.embedded({False: "the bank", True: ""})
    assert rule.startswith("@font-face{font-family:'DejaVu Sans';font-weight:normal;")
    assert len(rule) < 12_000
    assert fonts.embedded({False: "ab", True: "c"}).count("@font-face") == 2
