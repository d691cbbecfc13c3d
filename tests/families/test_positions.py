"""Positions taken away and permuted, in every family: rotated, biased, learned and computed ones."""

import copy

import pytest
import torch

from attention import Settings, masks
from tests.families import decoders, encoders, translators
from tests.families.parity import close
from tests.families.table import CASES
from tests.reference import widened

TABLES = ("position_embeddings", "wpe", "embed_positions", "relative_attention_bias")
ORDER = [4, 0, 7, 2, 1, 6, 3, 5]
IDS = [3, 17, 5, 9, 12, 28, 4, 8]
NONE = Settings(positions="none")


def without_positions(case, asked="plain"):
    """Transformers with every table of positions at zero, and every rotation by position 0."""
    model, given = copy.deepcopy(case.model()), case.inputs(asked)
    tables = [
        parameter for name, parameter in model.named_parameters() if any(part in name for part in TABLES)
    ]
    if not tables:
        given["position_ids"] = torch.zeros_like(given["input_ids"])
    with widened(), torch.no_grad():
        for table in tables:
            table.zero_()
        model.set_attn_implementation("eager")
        return model(**given)[0][0]


@pytest.mark.parametrize("family", CASES)
def test_no_positions_equal_transformers_without_them(family):
    case = CASES[family]
    sites = dict(encoder=NONE) if case.encoder is not None else {}
    run = case.run("plain", positions="none", **sites)
    expected = without_positions(case)
    close(run.final if run.model.transformer.unembedding is None else run.logits, expected, 1e-10, "the end")
    assert (run.final - case.run("plain").final).abs().max() > 1e-3
    trace = run.attention(1)
    assert not any((trace.has_rotation, trace.has_bias))
    close(trace.fused_output, trace.output, 1e-10, "output")


@pytest.mark.parametrize(
    "case",
    [encoders.BERT, encoders.ROBERTA, encoders.DISTILBERT, decoders.GPT2, decoders.GPT_NEOX, decoders.LLAMA3,
     decoders.QWEN3, decoders.GEMMA2, decoders.GEMMA3],
    ids=lambda case: case.name,
)  # fmt: skip
def test_words_in_another_order_under_their_old_positions_are_the_same_words(case):
    """Where everything is seen, order is in the position numbers alone."""
    model, seen = case.ours(), masks.Full()
    plain = model.run(IDS, settings=Settings(mask=seen))
    moved = model.run([IDS[i] for i in ORDER], settings=Settings(mask=seen, positions=ORDER))
    close(moved.final, plain.final[ORDER], 1e-10, "final")
    weights = plain.attention(2).weights
    close(moved.attention(2).weights, weights[:, ORDER][:, :, ORDER], 1e-10, "weights")
    assert (
        model.run(IDS, settings=Settings(mask=seen, positions=ORDER)).final - plain.final
    ).abs().max() > 1e-3


@pytest.mark.parametrize("case", [translators.T5, translators.MARIAN], ids=lambda case: case.name)
def test_so_they_are_in_a_source(case):
    model, target = case.ours(), [30, 5, 12]
    plain = model.run(IDS, target=target)
    settings = Settings(encoder=Settings(positions=ORDER))
    moved = model.run([IDS[i] for i in ORDER], target=target, settings=settings)
    close(moved.encoder.final, plain.encoder.final[ORDER], 1e-10, "memory")
    close(moved.final, plain.final, 1e-10, "final")
    close(moved.cross_attention(3).weights, plain.cross_attention(3).weights[:, :, ORDER], 1e-10, "weights")


def test_a_target_under_permuted_positions_has_its_biases_permuted():
    """Row and column go by number in the bias, by place in the mask."""
    order = [2, 0, 3, 1]
    model = translators.T5.ours()
    plain = model.run(IDS, target=[30, 5, 12, 8]).attention(2)
    permuted = model.run(IDS, target=[30, 5, 12, 8], settings=Settings(positions=order)).attention(2)
    close(permuted.bias, plain.bias[:, order][:, :, order], 1e-12, "bias")
    assert torch.equal(permuted.mask, plain.mask)


def test_a_second_sentence_of_a_family_with_one_segment_is_numbered_like_the_first():
    case = encoders.ROBERTA
    tensors = dict(case.model().state_dict())
    name = "embeddings.token_type_embeddings.weight"
    model = case.ours(tensors=tensors | {name: tensors[name][:1]}, type_vocab_size=1)
    joined = model.run([5, 9, 3, 7, 8])
    close(model.run([5, 9, 3], pair=[7, 8]).final, joined.final, 1e-12, "final")
