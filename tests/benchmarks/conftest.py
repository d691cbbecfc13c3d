"""The app and the Chromium of the browser tests, for benchmarks."""

import os

import pytest
import torch

from attention.ui.turns import CORES
from tests.benchmarks import painting
from tests.browser.conftest import WATCH, browser, fresh_server, server, settled

__all__ = ["browser", "fresh_server", "server", "settled"]


torch.set_num_threads(CORES)


@pytest.fixture(autouse=True)
def unchecked(request):
    """Refuse to measure an engine that checks the shape of everything it is given."""
    if request.node.name.startswith("bench_") and os.environ.get("HEADLIGHT_CHECK_SHAPES") != "0":
        pytest.fail("Speeds are measured by `make bench`: it leaves out the checks of shapes.", pytrace=False)


@pytest.fixture
def page(browser):
    """A new window, 1440 × 900, that knows when it was painted."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.add_init_script(WATCH)
    context.add_init_script(painting.WATCH)
    yield context.new_page()
    context.close()
