"""GGUF models held against the models they were made from, and against transformers' own GGUF loader."""

import pytest
import torch
from gguf import GGMLQuantizationType as Type
from transformers import AutoConfig, AutoModelForCausalLM

from attention.checkpoints import open_checkpoint
from attention.model import from_checkpoint
from tests.checkpoints.gguf_models import CASES, shaken, write

# What no arithmetic here depends on, or transformers' loader leaves at a default of its own.
NOT_COMPARED = {
    "_name_or_path", "architectures", "dtype", "transformers_version", "quantization_config", "use_cache",
    "initializer_range", "n_ctx", "feed_forward_length", "_sliding_window_pattern", "n_inner",
}  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=lambda name: name.replace(", ", "-"))
def opened(request, tmp_path_factory):
    """A case, the model it was made from, what transformers reads, and what we read."""
    case = CASES[request.param]
    folder = tmp_path_factory.mktemp("gguf")
    model = shaken(case.config)
    write(case, model, folder / "model.gguf")
    theirs = AutoModelForCausalLM.from_pretrained(folder, gguf_file="model.gguf", dtype=torch.float32)
    return case, model, theirs, open_checkpoint(folder / "model.gguf")


def parameters(model):
    """A model's tensors; what is tied to another is not listed twice."""
    return {name: tensor.detach() for name, tensor in model.named_parameters()}


def test_the_tensors_are_those_of_transformers(opened):
    _, _, theirs, ours = opened
    expected = parameters(theirs)
    assert set(ours.tensors) == set(expected)
    for name, tensor in expected.items():
        torch.testing.assert_close(ours.tensors[name].float(), tensor, atol=0, rtol=0, msg=name)


def test_the_tensors_are_those_the_file_was_made_from(opened):
    case, model, _, ours = opened
    for name, tensor in parameters(model).items():
        lost = {Type.F32: 1e-7, Type.F16: 1e-3}.get(case.kind, 0.2)  # of quantised ones, half a step of each
        torch.testing.assert_close(ours.tensors[name].float(), tensor, atol=lost, rtol=lost, msg=name)


def test_the_config_is_that_of_transformers(opened):
    """Read by its own config class, which knows both spellings; float32 in the file, so 1e-7."""
    _, _, theirs, ours = opened
    config = dict(ours.config)
    found = AutoConfig.for_model(config.pop("model_type"), **config).to_dict()
    for key, value in theirs.config.to_dict().items():
        if key not in NOT_COMPARED:
            assert found[key] == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value), key


def test_the_config_is_that_the_file_was_made_from(opened):
    case, _, _, ours = opened
    config = dict(ours.config)
    found = AutoConfig.for_model(config.pop("model_type"), **config).to_dict()
    different = {key for key, value in case.config.to_dict().items() if found[key] != value}
    assert different <= NOT_COMPARED


def test_the_model_computes_what_transformers_computes(opened):
    """Over more tokens than a window holds; in float32, so to 2e-5 of the largest."""
    _, _, theirs, ours = opened
    ids = torch.randint(4, 102, (70,), generator=torch.Generator().manual_seed(3)).tolist()
    with torch.no_grad():
        expected = theirs(torch.tensor([ids])).logits[0]
    found = from_checkpoint(ours).run(ids).logits
    torch.testing.assert_close(found, expected, atol=2e-5 * max(1.0, float(expected.abs().max())), rtol=0)


def test_the_tokenizer_has_the_files_tokens(opened):
    tokenizer = opened[3].tokenizer
    assert tokenizer.n_vocab == 103
    assert [(token.text, token.special) for token in tokenizer.decode_ids([0, 1, 102])] == [
        ("!", False), ('"', False), ("<|end|>", True),
    ]  # fmt: skip
