"""All heads at a glance."""

import numpy as np

from attention.sites import SiteRun
from attention.ui.overview import make_overview


def test_hidden_padding_changes_no_entropy(minilm):
    """It keeps rows of its own, which would else be counted with the text's."""
    runs = (minilm.run("The bank approved the loan.", pad_to=pad) for pad in (None, 16))
    plain, padded = (make_overview(SiteRun(run, "self")).entropies for run in runs)
    assert plain.shape == (6, 12)
    np.testing.assert_allclose(padded, plain, atol=1e-5)
