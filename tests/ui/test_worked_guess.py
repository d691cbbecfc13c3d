"""Guesses, the cells that are asked for, and the names of files."""

from dataclasses import replace

import pytest

from attention.ui.worked import export_menu, presets
from attention.ui.worked.desk import Desk, typed, with_sizes
from attention.ui.worked.guess import Guess, hidden_from, verdict
from attention.ui.worked.link import read_link, write_link
from attention.ui.worked.predict import another
from attention.ui.worked.scene import worked_scene


@pytest.mark.parametrize("causal", [False, True])
def test_another_cell_is_another_one_that_the_mask_leaves_open(causal):
    desk = replace(with_sizes(Desk(), n=3), causal=causal, guess=Guess("1", 1, 0))
    seen = set()
    for _ in range(200):
        asked = another(desk)
        assert asked.pair != desk.pair
        assert asked.guess is None
        seen.add(asked.pair)
    assert len(seen) == (5 if causal else 8)


def test_a_single_token_is_asked_again():
    assert another(replace(with_sizes(Desk(), n=1), query=0)).pair == (0, 0)


def test_a_desk_hides_from_the_step_on_until_a_guess_can_be_read():
    desk = Desk(predict="scaled")
    assert desk.hidden == ("scaled", "masked", "weights", "output")
    assert replace(desk, guess=Guess("a half", 1, 0)).hidden == desk.hidden
    assert replace(desk, guess=Guess("0.5", 1, 0)).hidden == ()
    assert Desk().hidden == ()
    assert hidden_from("output") == ("output",)


@pytest.mark.parametrize(
    ("guessed", "true", "said"),
    [
        (0.334, 0.330, "right to two digits"),
        (0.336, 0.330, "0.006 too high"),
        (-1.0, 0.5, "1.5 too low"),
        (1e6, 0.0, "1,000,000 too high"),
    ],
)
def test_how_far_a_guess_was(guessed, true, said):
    assert verdict(guessed, true) == said


def test_what_is_predicted_is_in_the_link_and_the_guess_is_not():
    desk = replace(Desk(), predict="output", guess=Guess("0.5", 1, 0))
    params, _ = write_link(desk)
    assert params == {"worked.predict": "output"}
    back = read_link(params)
    assert (back.predict, back.guess, back.told) == ("output", None, ())


@pytest.mark.parametrize(
    ("desk", "tag"),
    [
        (Desk(), ""),
        (Desk(causal=True), "causal"),
        (presets.use(Desk(), "large"), "large"),
        (replace(typed(Desk(), "q", (("3", "0"), ("0", "1"))), causal=True), "own-numbers_causal"),
    ],
)
def test_a_file_s_name_says_whose_numbers_these_are(desk, tag):
    scene = worked_scene(desk)
    assert export_menu.tag(scene) == tag
    middle = f"_{tag}" if tag else ""
    assert export_menu.csv_name(scene) == f"headlight_worked-example{middle}_steps.csv"
    shown = export_menu.view(scene)
    assert export_menu.export.filename(shown, "pdf") == f"headlight_worked-example_L0_H0{middle}_weights.pdf"
