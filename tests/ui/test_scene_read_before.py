"""Which pages send their text box last: those of which nothing will be waited for."""

import pytest

from attention.ui import cache, scene
from attention.ui.turns import COSTLY_TOKENS
from attention.ui.view import ViewState


@pytest.mark.parametrize(("n_tokens", "at_once"), [(COSTLY_TOKENS, True), (COSTLY_TOKENS + 1, False)])
def test_a_text_that_takes_turns_may_be_waited_for(minilm, n_tokens, at_once):
    view = ViewState(text="word " * (n_tokens - 2))  # [CLS] and [SEP] besides
    assert len(minilm.tokenize(view.text)) == n_tokens
    cache.model(view.model)
    assert not scene.read_before(view), "nobody has read it"
    cache.run(scene.asked(view).untouched)
    assert scene.read_before(view) is at_once
