"""What is said about how heads add up."""

import pytest

from attention.analysis.merging import Part
from attention.ui.block.words import shares_caption


@pytest.mark.parametrize(("last", "said"), [(None, True), (1, False)])
def test_a_bias_is_spoken_of_only_where_there_is_one(last, said):
    parts = [Part(head=0, length=1.0, share=0.7), Part(head=last, length=1.0, share=0.3)]
    assert ("their parts and the bias differ" in shares_caption(parts, 1e-6)) == said
