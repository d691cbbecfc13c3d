"""What pages claim holds, or is not claimed."""

from types import SimpleNamespace

import pytest

from attention.analysis.measures import MEASURES
from attention.ui.heads import words as heads_words


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_only_what_is_a_mean_over_rows_is_called_one(measure):
    scene = SimpleNamespace(
        measure=measure,
        found=SimpleNamespace(n_keys=4, counted=lambda *_: 4),
        run=SimpleNamespace(n_layers=1),
        units=range(4),
    )
    for said in (heads_words.definition(scene), heads_words.glossary_entry(measure, 4)):
        assert ("mean over " in said.lower()) is (measure.key != "rank")
        assert ("one number of " in said.lower()) is (measure.key == "rank")
