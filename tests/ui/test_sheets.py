"""Sheets of heads that all sessions share."""

import numpy as np
import pytest

from attention.ui import cache, sheets
from attention.ui.asked import Asked
from attention.ui.overview import PLAIN, Drawn
from attention.ui.stores import forget

LEARN = Asked(model="worked-example", text="I learn")
OWN = Drawn(shade="head")


@pytest.fixture(autouse=True)
def empty():
    for stores in (sheets._stores, cache._stores):
        stores.clear()
    yield
    for stores in (sheets._stores, cache._stores):
        stores.clear()


def test_the_plain_sheet_is_the_overview_s_where_there_is_one():
    assert sheets.found_sheet(LEARN, "self", PLAIN) is None
    overview = cache.overview(LEARN)
    assert sheets.found_sheet(LEARN, "self", PLAIN) is overview
    assert sheets.sheet(LEARN, "self", PLAIN) is overview


def test_without_checks_it_shows_the_same():
    alone, overview = sheets.sheet(LEARN, "self", PLAIN), cache.overview(LEARN)
    np.testing.assert_array_equal(alone.shades, overview.shades)
    assert alone.strongest == overview.strongest


def test_another_is_made_once_and_begun_it_is_the_one_that_is_kept():
    assert sheets.found_sheet(LEARN, "self", OWN) is None
    begun = sheets.begin_sheet(LEARN, "self", OWN).watch()
    assert begun is sheets.sheet(LEARN, "self", OWN) is sheets.found_sheet(LEARN, "self", OWN)
    assert begun.shades.max(axis=(2, 3)).min() == 255
    assert sheets.found_sheet(LEARN, "self", PLAIN) is None


def test_it_goes_with_its_model():
    sheets.sheet(LEARN, "self", OWN)
    forget("worked-example")
    assert sheets.found_sheet(LEARN, "self", OWN) is None
