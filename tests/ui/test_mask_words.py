"""The sparse patterns as sentences and as lines of Python that make them again."""

import pytest

from attention.engine import masks
from attention.engine.masks import (
    BlockLocal,
    Causal,
    Dilated,
    Fixed,
    Global,
    Or,
    Random,
    Strided,
    Window,
)
from attention.ui.script import script
from attention.ui.view import ViewState
from attention.ui.words import rule_name

LONGFORMER = Window(2, 2) | Global({0, 3})
BIGBIRD = LONGFORMER | Random(2, 12, 7, LONGFORMER)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Dilated(2, 2), "every second token, 2 a side"),
        (Dilated(1, 4), "every 4th token, 1 a side"),
        (BlockLocal(4), "blocks of 4"),
        (Strided(3), "strided by 3"),
        (Fixed(4, 1), "fixed blocks of 4, the last 1 of each open"),
        (LONGFORMER, "window of 2 before, 2 after or [CLS] (0), <b> (3) global"),
        (Random(1, 12, 7), "1 random link a token (seed 7)"),
        (Or(Causal(), Random(2, 12)), "causal mask or 2 random links a token (seed 0)"),
    ],
)
def test_a_pattern_in_words(rule, said):
    assert rule_name(rule, ("[CLS]", "the", "bank", "<b>")) == said


def test_global_tokens_without_their_names_are_positions():
    assert rule_name(Global({0, 3})) == "0, 3 global"


def test_the_python_of_a_pattern_makes_the_same_pattern():
    lines = script(ViewState(text="I learn", mask=(Causal(), BIGBIRD)))
    assert lines.startswith("from attention import Settings, load, masks\n")
    (settings,) = [line for line in lines.splitlines() if "settings=" in line]
    written = settings.split("settings=Settings(mask=")[1].removesuffix("))")
    assert eval(written, {"masks": masks}) == Causal() & BIGBIRD
