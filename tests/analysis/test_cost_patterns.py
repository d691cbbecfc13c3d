"""What a pattern keeps of a head, from its weights by hand."""

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis.cost_patterns import kept
from tests.toys import toy

TEXT = "The developer deployed the application because it was ready."
PATTERNS = (
    masks.Window(1, 1),
    masks.BlockLocal(4),
    masks.Window(1, 1) | masks.Global({0}),
    masks.Dilated(2, 2),
)


@pytest.mark.parametrize("pattern", PATTERNS, ids=repr)
def test_shares_by_hand(minilm, pattern):
    one = minilm.run(TEXT).attention(4).head(4)
    found = kept(one, pattern, 12)
    allowed = masks.dense(pattern, 12).numpy()
    scores = one.queries[0].numpy() @ one.keys[0].numpy().T / np.sqrt(32)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert found.n_cells == allowed.sum()
    assert found.cells == pytest.approx(allowed.sum() / 144)
    assert found.weight == pytest.approx((weights * allowed).sum(axis=1).mean(), abs=1e-5)
    assert found.least == pytest.approx((weights * allowed).sum(axis=1).min(), abs=1e-5)
    assert found.chance == pytest.approx(allowed.sum(axis=1).mean() / 12)
    anew = weights * allowed / (weights * allowed).sum(axis=1, keepdims=True)
    old, new = weights @ one.values[0].numpy(), anew @ one.values[0].numpy()
    assert found.moved == pytest.approx(np.linalg.norm(new - old) / np.linalg.norm(old), abs=1e-5)


def test_a_pattern_that_cuts_nothing_keeps_everything(minilm):
    found = kept(minilm.run(TEXT).attention(4).head(4), masks.Full(), 12)
    assert (found.cells, found.moved, found.n_cells, found.chance) == (1.0, 0.0, 144, 1.0)
    assert found.weight == pytest.approx(1, abs=1e-6)


def test_shares_are_of_what_the_model_s_own_mask_leaves():
    trace = toy().run(list(range(9)), settings=Settings(mask=masks.Causal() & masks.Keys({0})))
    one = trace.attention(1).head(2)
    found = kept(one, masks.Window(2, 2), one.n_queries)
    allowed = np.tril(np.ones((9, 9))) * (np.abs(np.subtract.outer(range(9), range(9))) <= 2)
    allowed[:, 0] = 0
    own = np.tril(np.ones((9, 9)))
    own[:, 0] = 0
    assert found.cells == pytest.approx(allowed.sum() / own.sum())
    rows = (one.weights[0].numpy() * allowed).sum(axis=1)[1:]
    assert found.weight == pytest.approx(rows.mean())
    assert found.least == pytest.approx(rows.min())
    assert found.chance == pytest.approx((allowed.sum(1)[1:] / own.sum(1)[1:]).mean())
    assert found.allowed.equal(torch.from_numpy(allowed.astype(bool)))


def test_a_head_that_may_see_nothing_has_nothing_to_lose():
    one = toy().run(list(range(9)), settings=Settings(mask=masks.Keys(range(9)))).attention(1).head(2)
    assert kept(one, masks.Window(2, 2), one.n_queries) is None


def test_an_output_of_nothing_moves_by_no_measurable_part():
    model = toy()
    params = model.transformer.stack.layers[1].attention.params
    params.w_v.zero_()
    params.b_v.zero_()
    found = kept(model.run(list(range(9))).attention(1).head(2), masks.Window(2, 2), 9)
    assert found.moved is None
    assert 0 < found.weight < 1


@pytest.mark.parametrize("pattern", [masks.Window(1, 1), masks.Dilated(2, 2)], ids=repr)
def test_hidden_padding_has_no_weight_to_lose(minilm, pattern):
    """A pattern of the text alone loses the same with padding behind it, whose rows are nobody's."""
    plain = kept(minilm.run(TEXT).attention(4).head(4), pattern, 12)
    padded = kept(minilm.run(TEXT, pad_to=17).attention(4).head(4), pattern, 12)
    for measured in ("weight", "least", "chance", "moved"):
        assert getattr(padded, measured) == pytest.approx(getattr(plain, measured), abs=1e-5)
