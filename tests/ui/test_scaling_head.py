"""Which scales a head is shown under, for models that scale by other numbers or not at all."""

from dataclasses import replace

import pytest

from attention.ui.scaling.head import layer_spread, variants
from attention.ui.scene import scene
from attention.ui.view import ViewState
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


def test_hidden_padding_changes_no_spread():
    view = ViewState(text="The bank approved the loan.", model="minilm", layer=3)
    plain, padded = (layer_spread(scene(replace(view, pad=pad))) for pad in (None, 15))
    for key, heads in plain.items():
        for one, other in zip(heads, padded[key], strict=True):
            assert other.n_rows == one.n_rows == 8
            assert other.entropy == pytest.approx(one.entropy, abs=1e-5)
            assert other.largest == pytest.approx(one.largest, abs=1e-5)
