"""Which scales a head is shown under, for models that scale by other numbers or not at all."""

import pytest

from attention.ui.scaling.head import variants
from tests.families.table import CASES


def shown(name):
    config = CASES[name].ours().transformer.stack.layers[0].attention.config
    return config, variants(config)


def test_a_usual_family_is_held_against_no_scale():
    config, three = shown("bert")
    assert list(three) == ["without", "own", "doubled"]
    assert [one.scale for one in three.values()] == [1.0, config.scale, 2 * config.scale]
    assert [one.formula for one in three.values()] == ["q · k", "q · k ÷ √5", "2 × q · k ÷ √5"]


def test_a_family_without_a_scale_is_held_against_one():
    config, three = shown("t5")
    assert config.scale == 1
    assert three["own"].formula == "q · k"
    assert three["without"].scale == pytest.approx(config.d_head**-0.5)
    assert three["without"].name == "What if scaled"
    assert three["doubled"].scale == 2


def test_a_family_that_scales_by_another_number_says_it():
    config, three = shown("gemma2")
    assert config.scale != pytest.approx(config.d_head**-0.5)
    assert three["own"].formula == f"q · k × {config.scale:.4g}"
