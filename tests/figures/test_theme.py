import dataclasses
import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.figures import theme
from attention.figures.theme import DARK, LIGHT

# look.md, section 4: contrast against background / panel, to one decimal.
CONTRASTS = {
    "light": {
        "ink": (16.7, 15.3),
        "text2": (6.4, 5.9),
        "primary": (5.8, 5.3),
        "query": (5.8, 5.3),
        "key": (5.5, 5.0),
        "value": (5.3, 4.9),
        "output": (8.2, 7.5),
        "masked": (5.0, 4.6),
    },
    "dark": {
        "ink": (15.3, 14.1),
        "text2": (7.7, 7.1),
        "primary": (9.7, 8.9),
        "query": (7.4, 6.7),
        "key": (8.0, 7.3),
        "value": (11.2, 10.3),
        "output": (10.1, 9.3),
        "masked": (7.1, 6.5),
    },
}
BOTH = pytest.mark.parametrize("p", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}


def oklab(colour: str, sight: str = "normal") -> np.ndarray:
    """OKLab by the published matrices, written out here so that the theme's own is not its judge."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    red, green, blue = np.clip(SIGHT[sight] @ linear, 0, 1)
    long = np.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = np.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = np.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return np.array(
        [
            0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
            1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
            0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
        ]
    )


@BOTH
def test_contrasts_are_those_of_the_look(p):
    for name, (background, panel) in CONTRASTS[p.name].items():
        colour = getattr(p, name)
        assert round(theme.contrast(colour, p.bg), 1) == background, name
        assert round(theme.contrast(colour, p.panel), 1) == panel, name


def test_the_beam_is_for_bars_only():
    assert 3.0 < theme.contrast(LIGHT.beam, LIGHT.bg) < 4.5


@BOTH
def test_every_colour_is_six_digits(p):
    colours = [value for name, value in dataclasses.asdict(p).items() if name != "name"]
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in colours)


def test_palettes_by_name():
    assert theme.palette("dark") is DARK
    assert theme.palette("light") is LIGHT
    assert theme.palette("anything else") is LIGHT


@BOTH
def test_scales_go_through_their_stops(p):
    scales = [theme.weight_scale(p), theme.score_scale(p), theme.role_scale(p, "key")]
    for scale in scales:
        assert len(theme.lut(scale)) == 256
        for t, colour in scale:
            assert np.abs(oklab(theme.shade(scale, t)) - oklab(colour)).max() < 0.012, (t, colour)
        assert (theme.lut(scale)[0], theme.lut(scale)[-1]) == (scale[0][1], scale[-1][1])


def test_the_first_stop_keeps_small_weights_visible():
    scale = theme.weight_scale(LIGHT)
    assert np.linalg.norm(oklab(theme.shade(scale, 1 / 40)) - oklab(LIGHT.bg)) > 0.015


@BOTH
def test_blending_is_linear_in_oklab(p):
    colours = theme.lut(theme.role_scale(p, "query"))
    upper = np.stack([oklab(colour) for colour in colours[128:]])
    straight = np.linspace(upper[0], upper[-1], len(upper))
    assert np.abs(upper - straight).max() < 0.004  # one step of 8 bits a channel


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_more_weight_is_always_further_from_the_background(p, sight):
    lightness = [oklab(colour, sight)[0] for colour in theme.lut(theme.weight_scale(p))]
    steps = np.diff(lightness) * (-1 if p is LIGHT else 1)
    assert steps.min() > -1e-3  # rounding to 8 bits moves a neighbour by less than this
    every_fifth = np.diff(lightness[::5]) * (-1 if p is LIGHT else 1)
    assert every_fifth.min() > 0


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_scores_leave_the_background_on_both_sides(p, sight):
    lightness = np.array([oklab(colour, sight)[0] for colour in theme.lut(theme.score_scale(p))])
    away = lightness if p is LIGHT else -lightness
    assert (np.diff(away[:128:5]) > 0).all()
    assert (np.diff(away[128::5]) < 0).all()


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_the_signs_of_a_score_stay_apart(p, sight):
    scale = theme.score_scale(p)
    poles = [oklab(theme.shade(scale, t), sight) for t in (0.25, 0.75)]
    assert np.linalg.norm(poles[0] - poles[1]) > 0.13


@BOTH
def test_bars_have_the_colours_of_their_scales(p):
    weights, scores = theme.lut(theme.weight_scale(p)), theme.lut(theme.score_scale(p))
    assert p.beam == weights[158]
    assert (p.below, p.above) == (scores[48], scores[215])


@BOTH
def test_roles_have_their_colour_above_zero_and_grey_below(p):
    for role in ("query", "key", "value", "output", "ink"):
        scale = theme.role_scale(p, role)
        assert scale[-1] == (1, getattr(p, role))
        assert scale[1] == (0.5, p.bg)
        _, a, b = oklab(scale[0][1])
        assert np.hypot(a, b) < 0.02, "below zero is grey"


@given(st.integers(0, 0xFFFFFF))
def test_numbers_in_cells_are_never_under_four_and_a_half(code):
    colour = f"#{code:06X}"
    chosen, other = theme.text_on(colour), {"#000000": "#FFFFFF", "#FFFFFF": "#000000"}[theme.text_on(colour)]
    assert theme.contrast(chosen, colour) >= 4.5
    assert theme.contrast(chosen, colour) >= theme.contrast(other, colour)


@BOTH
def test_numbers_on_the_scales(p):
    colours = theme.lut(theme.weight_scale(p)) + theme.lut(theme.score_scale(p))
    assert min(theme.contrast(theme.text_on(colour), colour) for colour in colours) >= 4.59


def test_contrast_of_known_pairs():
    assert theme.contrast("#FFFFFF", "#FFFFFF") == 1
    assert theme.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert theme.contrast("#FFFFFF", "#777777") == theme.contrast("#777777", "#FFFFFF")


@BOTH
def test_plotly_gets_the_same_colours(p):
    scale = theme.weight_scale(p)
    stops = theme.plotly_scale(scale)
    assert (stops[0][0], stops[-1][0]) == (0, 1)
    assert all(a[0] < b[0] for a, b in pairwise(stops))
    at = np.linspace(0, 1, 256)
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for _, c in stops])
    blended = np.stack([np.interp(at, [t for t, _ in stops], channels[:, i]) for i in range(3)], -1)
    wanted = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in theme.lut(scale)])
    assert np.abs(blended - wanted).max() < 4


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_no_two_heads_are_alike(p, sight):
    colours = theme.head_colours(p)
    assert len(colours) == 8
    assert colours[0] == p.beam
    for first, second in combinations(colours, 2):
        assert np.linalg.norm(oklab(first, sight) - oklab(second, sight)) > 0.138, (first, second)
    assert min(theme.contrast(colour, p.bg) for colour in colours) >= 3
