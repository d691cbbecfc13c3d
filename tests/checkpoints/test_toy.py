import pytest
import torch

from attention.checkpoints import open_checkpoint
from attention.checkpoints.toy import toy_checkpoint
from attention.errors import ConfigError


def test_the_worked_example():
    checkpoint = open_checkpoint("worked-example", fetch=False)
    assert (checkpoint.name, checkpoint.revision) == ("worked-example", "built in")
    assert checkpoint.config["model_type"] == "toy"
    assert set(checkpoint.tensors) == {"embed.tokens", *(f"layers.0.w_{which}" for which in "qkvo")}
    for tensor in checkpoint.tensors.values():
        torch.testing.assert_close(tensor.squeeze(0), torch.eye(2))
    tokens = checkpoint.tokenizer.encode("I learn")
    assert [(token.text, token.id, token.special) for token in tokens] == [
        ("I", 0, False),
        ("learn", 1, False),
    ]


def test_a_toy_of_unequal_sizes():
    checkpoint = toy_checkpoint(
        ("one", "two", "three"),
        torch.zeros(3, 5),
        w_q=torch.zeros(5, 2),
        w_k=torch.zeros(5, 2),
        w_v=torch.zeros(5, 4),
        w_o=torch.zeros(4, 5),
        name="mine",
    )
    sizes = {key: checkpoint.config[key] for key in ("d_model", "d_head", "d_value", "d_vocab", "n_heads")}
    assert sizes == {"d_model": 5, "d_head": 2, "d_value": 4, "d_vocab": 3, "n_heads": 1}
    assert checkpoint.tensors["layers.0.w_v"].shape == (1, 5, 4)
    assert [token.id for token in checkpoint.tokenizer.encode("three one")] == [2, 0]


@pytest.mark.parametrize("words", [("one",), ("one", "two", "three"), ("one", "one")])
def test_words_and_vectors_that_do_not_fit(words):
    square = torch.eye(2)
    with pytest.raises(ConfigError, match="different words cannot stand for 2 vectors"):
        toy_checkpoint(words, square, w_q=square, w_k=square, w_v=square, w_o=square)
