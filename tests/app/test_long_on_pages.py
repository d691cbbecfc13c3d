"""Pages that take a text apart say how long it may be, and keep it."""

import pytest

from tests.app.screen import opened, plain

LONG = "word " * 300


@pytest.mark.parametrize("page", ["masks"])
def test_a_text_too_long_for_a_page_is_refused_with_both_numbers_and_kept(page):
    app = opened(f"../../pages/{page}.py", s=LONG)
    (refused,) = app.error
    assert plain(refused.value) == (
        "This page takes texts of up to 256 tokens apart, and this one has 302; Explore reads longer ones."
    )
    assert LONG in [box.value for box in app.text_input]


@pytest.mark.parametrize("page", ["scaling", "block"])
def test_a_text_that_is_not_too_long_is_not_refused(page):
    assert not opened(f"../../pages/{page}.py", s=LONG).error
