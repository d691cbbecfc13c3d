"""Every family against transformers as it runs, nothing widened: in float64 with its casts, and in float32.

Where transformers computes in the model's own precision, float64 holds to 1e-10 here too. Elsewhere it
casts to float32 on the way, and 1e-5 × max(1, the largest) is what can be held: the norms
(``LlamaRMSNorm.forward``: ``hidden_states.to(torch.float32)``, the same in Mistral, Qwen2 and Qwen3;
``Gemma2RMSNorm.forward`` and ``Gemma3RMSNorm.forward``: ``self._norm(x.float())``; ``T5LayerNorm.forward``:
the variance of ``hidden_states.to(torch.float32)``), rotation (``…RotaryEmbedding.forward``:
``position_ids[..., None].float() * self.inv_freq``, also in GPT-NeoX), √d_model of Gemma
(``torch.tensor(embed_scale)``) and the table of Marian (``torch.FloatTensor(np.sin(…))``).
"""

import pytest
import torch

from tests.families.table import CASES
from tests.reference import STEPS, record

WITHOUT_CASTS = ("bert", "roberta", "distilbert", "gpt2")


def recorded(case, dtype):
    """Their steps; tables are made anew, in the precision that transformers makes them in."""
    torch.manual_seed(0)
    model = case.make().to(dtype).eval()
    stored = {
        name: tensor for name, tensor in case.model().state_dict().items() if "embed_positions" not in name
    }
    keys = model.load_state_dict(stored, strict=False)
    assert not [name for name in (*keys.unexpected_keys, *keys.missing_keys) if "embed_positions" not in name]
    return record(model, case.layout, case.encoder, **case.inputs(case.fullest, dtype))


def compare(run, reference, weights, others):
    for layer, expected in enumerate(reference.layers):
        assert_steps(run.attention(layer), expected, weights, others)
        assert_close(run.resid_pre[layer], expected["pre"], others)
    for layer, expected in enumerate(reference.cross):
        assert_steps(run.cross_attention(layer), expected, weights, others)
    assert_close(run.final, reference.final, others)
    if run.model.transformer.unembedding is not None:
        assert_close(run.logits, reference.logits, others)
    if reference.encoder is not None:
        compare(run.encoder, reference.encoder, weights, others)


def assert_steps(trace, expected, weights, others):
    for step in STEPS:
        assert_close(getattr(trace, step), expected[step], weights if step == "weights" else others)
    assert_close(trace.fused_output, expected["output"], others)


def assert_close(ours, theirs, tolerance):
    seen = torch.isfinite(theirs)
    assert torch.equal(torch.isfinite(ours), seen)
    size = max(1.0, float(theirs[seen].abs().max()))
    torch.testing.assert_close(ours[seen], theirs[seen], atol=tolerance * size, rtol=0)


@pytest.mark.parametrize("family", CASES)
def test_in_float64_with_its_casts(family):
    case = CASES[family]
    tolerance = 1e-10 if family in WITHOUT_CASTS else 1e-5
    compare(case.run(case.fullest), recorded(case, torch.float64), tolerance, tolerance)


@pytest.mark.parametrize("family", CASES)
def test_in_float32(family):
    case = CASES[family]
    run = case.run(case.fullest, case.ours(dtype=torch.float32))
    assert run.final.dtype == torch.float32
    compare(run, recorded(case, torch.float32), weights=5e-6, others=2e-5)
