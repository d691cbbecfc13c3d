"""Shapes are checked while the tests run: jaxtyping's annotations, by beartype."""

import pytest
import torch
from jaxtyping import install_import_hook

install_import_hook(["attention.engine", "attention.families"], "beartype.beartype")
torch.set_num_threads(2)


@pytest.fixture(scope="session")
def minilm():
    """The real model, fetched into the cache when it is not there."""
    from attention import load

    return load("minilm")
