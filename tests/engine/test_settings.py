"""Settings are values; what a model does not have is refused with both numbers."""

import pytest

from attention.engine.masks import Causal, Full, Keys, Own
from attention.engine.settings import Settings
from attention.errors import InputError


def test_sets_are_frozen_so_that_settings_hash():
    given = {(2, 5), (0, 1)}
    settings = Settings(heads_off=given, mask_layers=[1, 1, 2], positions=[1, 0])
    given.add((9, 9))
    assert settings.heads_off == {(2, 5), (0, 1)}
    assert settings == Settings(heads_off=[(0, 1), (2, 5)], mask_layers={2, 1}, positions=(1, 0))
    assert hash(settings) == hash(Settings(heads_off=[(0, 1), (2, 5)], mask_layers={2, 1}, positions=(1, 0)))


def test_the_mask_applies_in_chosen_layers_only():
    settings = Settings(mask=Causal(), mask_layers={1})
    assert [settings.mask_in(layer, Full()) for layer in range(3)] == [Full(), Causal(), Full()]
    assert Settings(mask=Own() & Keys({0})).mask_in(7, Causal()) == Causal() & Keys({0})


def test_heads_off_by_layer():
    settings = Settings(heads_off={(2, 5), (2, 0), (1, 3)})
    assert [settings.heads_off_in(layer) for layer in range(3)] == [frozenset(), {3}, {0, 5}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dict(mask_layers={6}), r"no layer 6: the model has 6 \(layers 0–5\)"),
        (dict(heads_off={(0, 12)}), r"no head 12: the model has 12 \(heads 0–11\)"),
        (dict(heads_off={(-1, 0)}), "no layer -1"),
        (dict(mask=Keys({8})), "key 8, but the sequence has 8"),
        (dict(positions=[0, 1, 1, 2, 3, 4, 5, 6]), "permutation of the 8 positions"),
        (dict(positions=[1, 0]), "permutation of the 8 positions"),
    ],
)
def test_what_is_not_there_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        check(Settings(**settings))


def check(settings):
    settings.check_heads(n_layers=6, n_heads=12)
    settings.check_positions(n_positions=8)


def test_unknown_positions_are_refused():
    with pytest.raises(InputError, match='"own", "none" or a permutation, not "rotary"'):
        Settings(positions="rotary")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dict(encoder=Settings(cross=Settings())), "hold no others inside"),
        (dict(cross=Settings(encoder=Settings())), "hold no others inside"),
        (dict(cross=Settings(positions="none")), "no positions of its own"),
    ],
)
def test_the_settings_of_a_site_are_its_own_alone(settings, message):
    with pytest.raises(InputError, match=message):
        Settings(**settings)


def test_cross_attention_counts_queries_and_keys_apart():
    Settings(mask=Keys({6})).check_positions(n_positions=3, n_keys=7)
    with pytest.raises(InputError, match="key 6, but the sequence has 3"):
        Settings(mask=Keys({6})).check_positions(n_positions=7, n_keys=3)
