"""Every page as axe-core sees it, light and dark: names, roles, contrast, what the keyboard cannot reach."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from attention.ui.navigation import ENTRIES

GRAVE = {"serious", "critical"}
"""What keeps a reader from something. The lesser ones are Streamlit's: its menus are no landmark, and the
corner of its tables is a head without a word."""

PAGES = (
    "/",
    *(f"/{entry.name.replace('_', '-')}" for entry in ENTRIES[1:]),
    "/positions?positions.part=rotary",
    "/?view=lines",
    "/?view=neurons&s=I+learn&pair=You+teach&mask=hide:1",
    "/?view=table&mask=causal&off=4-4&shuffled=1&range=log",
    "/heads?heads.squares=weights",
)
"""Paths of all pages, and sights of them that hold other components."""

OPENED = (("/", "Export"), ("/worked-example", "Export"), ("/masks", "Export"))


def grave(page):
    """What axe holds against the page, a line each: rule, place, reason."""
    page.mouse.move(0, 0)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


@pytest.fixture(params=["page", "dark_page"])
def themed(request):
    """A window in the light theme, and one in the dark."""
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_grave(themed, server, settled, path):
    themed.goto(server.at(path))
    settled(themed)
    assert themed.locator("h1").count() == 1
    assert not grave(themed)


@pytest.mark.parametrize(("path", "name"), OPENED)
def test_axe_finds_nothing_grave_in_what_opens(themed, server, settled, path, name):
    themed.goto(server.at(path))
    settled(themed)
    themed.get_by_role("button", name=name).first.focus()
    themed.keyboard.press("Enter")
    themed.get_by_test_id("stPopoverBody").wait_for()
    settled(themed)
    assert not grave(themed)
