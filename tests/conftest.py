"""Shapes are checked while the tests run: jaxtyping's annotations, by beartype.

Each check costs microseconds, and a short text takes many: `make bench` sets HEADLIGHT_CHECK_SHAPES=0.
"""

import os

import pytest
import torch
from jaxtyping import install_import_hook

if os.environ.get("HEADLIGHT_CHECK_SHAPES", "1") == "1":
    install_import_hook(["attention.engine", "attention.families"], "beartype.beartype")
torch.set_num_threads(1)  # as the app computes short texts: sums in another order differ in their last digits


@pytest.fixture(scope="session")
def minilm():
    """The real model, fetched into the cache when it is not there."""
    from attention import load

    return load("minilm")


def pytest_collection_modifyitems(config, items):
    """Leave Gemma alone until somebody has accepted its terms."""
    if os.environ.get("HEADLIGHT_ACCEPT_GEMMA_TERMS") == "1":
        return
    gemma = [item for item in items if item.get_closest_marker("gemma")]
    if gemma:
        config.hook.pytest_deselected(items=gemma)
        items[:] = [item for item in items if item not in gemma]
