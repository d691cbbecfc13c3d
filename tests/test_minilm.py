"""MiniLM in float32 against transformers: weights to 5e-6, other steps to 2e-5 × max(1, the largest)."""

import json

import pytest
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertModel

from attention import InputError, Settings, load, masks
from attention.analysis import checks
from attention.checkpoints.fetch import fetch
from tests.families.encoders import BERT
from tests.reference import STEPS, record

LONG = " ".join(f"The engineer number {i} deployed an unremarkable application." for i in range(25))
SENTENCES = [
    "The developer deployed the application because it was ready.",
    "The bank approved the loan.",
    "We sat beside the river bank.",
    "The animal crossed the road because it was frightened.",
    "A lorry 🚚 swept past the hedgerows in 1984!",
    "The word שלום means peace, and مرحبا means welcome.",
    LONG,
]


@pytest.fixture(scope="module")
def reference():
    folder = fetch("minilm")
    model = BertModel(BertConfig(**json.loads((folder / "config.json").read_text())), add_pooling_layer=False)
    tensors = load_file(folder / "model.safetensors")
    kept = {
        name: tensor
        for name, tensor in tensors.items()
        if "position_ids" not in name and "pooler" not in name
    }
    model.load_state_dict(kept, strict=True)
    return model.eval()


def theirs(reference, run, attention_mask=None):
    return record(
        reference,
        BERT.layout,
        input_ids=torch.tensor([[token.id for token in run.tokens]]),
        token_type_ids=torch.tensor([[token.segment for token in run.tokens]]),
        attention_mask=attention_mask,
    )


def assert_close_in_float32(run, expected):
    for layer, steps in enumerate(expected.layers):
        trace = run.attention(layer)
        for step in STEPS:
            finite = torch.isfinite(steps[step])
            ours, reference = getattr(trace, step), steps[step]
            assert torch.equal(torch.isfinite(ours), finite), f"{step} of layer {layer}"
            size = max(1.0, float(reference[finite].abs().max()))
            tolerance = 5e-6 if step == "weights" else 2e-5 * size
            torch.testing.assert_close(ours[finite], reference[finite], atol=tolerance, rtol=0)
        assert_close_states(run.resid_pre[layer], steps["pre"])
    assert_close_states(run.final, expected.final)


def assert_close_states(ours, reference):
    size = max(1.0, float(reference.abs().max()))
    torch.testing.assert_close(ours, reference, atol=2e-5 * size, rtol=0)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence[:24])
def test_every_step_equals_transformers(minilm, reference, sentence):
    run = minilm.run(sentence)
    assert_close_in_float32(run, theirs(reference, run))


def test_the_long_sentence_is_long_and_the_others_have_what_they_promise(minilm):
    assert 200 <= len(minilm.run(LONG).tokens) <= 512
    assert "[UNK]" in [token.text for token in minilm.run(SENTENCES[4]).tokens]


def test_a_pair_equals_transformers(minilm, reference):
    run = minilm.run(SENTENCES[1], pair=SENTENCES[2])
    assert [token.segment for token in run.tokens] == [0] * 8 + [1] * 8
    assert_close_in_float32(run, theirs(reference, run))


def test_ids_are_used_exactly_as_given(minilm):
    text = minilm.run(SENTENCES[1])
    ids = [token.id for token in text.tokens]
    by_ids = minilm.run(ids)
    assert torch.equal(by_ids.final, text.final)
    assert [token.text for token in by_ids.tokens] == [token.text for token in text.tokens]
    pair = minilm.run(ids, pair=[2003, 102])
    assert [token.segment for token in pair.tokens] == [0] * 8 + [1] * 2
    with pytest.raises(InputError, match=r"Token id 30522 is not in the vocabulary \(0–30521\)"):
        minilm.run([30522])


def test_a_causal_mask_equals_transformers(minilm, reference):
    run = minilm.run(SENTENCES[0], settings=Settings(mask=masks.Causal()))
    n = len(run.tokens)
    allowed = torch.tril(torch.ones(n, n, dtype=torch.bool))[None, None]
    additive = torch.zeros(1, 1, n, n).masked_fill(~allowed, torch.finfo(torch.float32).min)
    assert_close_in_float32(run, theirs(reference, run, additive))


def test_heads_off_equals_w_o_with_those_columns_zeroed(minilm, reference):
    projection = reference.encoder.layer[2].attention.output.dense.weight
    kept = projection.detach().clone()
    run = minilm.run(SENTENCES[0], settings=Settings(heads_off={(2, 5)}))
    with torch.no_grad():
        projection[:, 5 * 32 : 6 * 32] = 0
        expected = theirs(reference, run)
        projection.copy_(kept)
    torch.testing.assert_close(run.final, expected.final, atol=5e-5, rtol=0)
    assert (run.final - minilm.run(SENTENCES[0]).final).abs().max() > 1e-2


def test_float64_shows_that_the_gap_is_rounding(reference):
    wide, model = load("minilm", dtype=torch.float64), reference.double()
    run = wide.run(SENTENCES[0])
    expected = theirs(model, run)
    for layer, steps in enumerate(expected.layers):
        for step in STEPS:
            torch.testing.assert_close(getattr(run.attention(layer), step), steps[step], atol=1e-10, rtol=0)
    torch.testing.assert_close(run.final, expected.final, atol=1e-10, rtol=0)
    reference.float()


def test_the_bank_in_two_sentences(minilm):
    """models.md's cosines of "bank", embeddings and six layers: they do not fall steadily."""
    loan, river = minilm.run("The bank approved the loan."), minilm.run("We sat beside the river bank.")
    states = zip((*loan.resid_pre, loan.final), (*river.resid_pre, river.final), strict=True)
    cosines = [float(torch.cosine_similarity(ours[2], theirs[6], dim=0)) for ours, theirs in states]
    expected = [0.9643, 0.8373, 0.8219, 0.8109, 0.8308, 0.8671, 0.7853]
    torch.testing.assert_close(torch.tensor(cosines), torch.tensor(expected), atol=6e-5, rtol=0)


def test_the_model_needs_every_tensor_of_its_file_but_position_ids(minilm):
    assert minilm.transformer.ignored == ()
    assert minilm.config.n_positions == 512
    assert (minilm.config.n_layers, minilm.config.n_heads, minilm.config.d_head) == (6, 12, 32)


def test_checks_are_small_and_not_zero(minilm):
    run = minilm.run(SENTENCES[0], settings=Settings(mask=masks.Window(2, 1), heads_off={(0, 0)}))
    assert 0 < checks.row_sum_deviation(run) < 2e-6
    assert 0 < checks.visible_difference(run) < 2e-5


def test_training_made_structure_that_shuffling_destroys(minilm):
    from attention.analysis.heads import entropy

    trained = entropy(minilm.run(SENTENCES[0]).attention(2).weights)
    shuffled = entropy(minilm.shuffled().run(SENTENCES[0]).attention(2).weights)
    assert trained.min() < 1.5 < 2.0 < shuffled.min()
