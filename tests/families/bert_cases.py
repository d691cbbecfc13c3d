"""A tiny random BERT of transformers with every parameter shaken, and the inputs it is compared on."""

from functools import cache

import torch
from transformers import BertConfig, BertModel

from attention.checkpoints.checkpoint import Checkpoint
from attention.engine.masks import Causal
from attention.engine.settings import Settings
from attention.model import from_checkpoint
from tests.reference import record, shaken

IDS = [2, 17, 5, 9, 9, 28, 3]
PAIR = [11, 4, 3, 30]
N_PADDED = 13


@cache
def reference_model():
    """No two sizes are equal: 3 heads of 5, 15, 22, 31 words, 37 positions, 4 layers, 2 segments."""
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=15,
        num_attention_heads=3,
        num_hidden_layers=4,
        intermediate_size=22,
        vocab_size=31,
        max_position_embeddings=37,
        pad_token_id=0,
    )
    return shaken(BertModel(config))


def ours(tensors=None, **config):
    """Our model from the reference's tensors; made anew each time, so that a seeded mistake is built in."""
    reference = reference_model()
    checkpoint = Checkpoint(
        name="tiny-bert",
        revision="random",
        config=reference.config.to_dict() | config,
        tensors=dict(reference.state_dict()) if tensors is None else tensors,
        tokenizer=None,
    )
    return from_checkpoint(checkpoint, dtype=torch.float64)


def theirs(ids=IDS, pair=(), n_padded=None, causal=False):
    """The reference's steps on the same input."""
    real = [*ids, *pair]
    n = n_padded or len(real)
    mask = torch.arange(n)[None, None, None] < len(real)
    if causal:
        mask = mask & torch.tril(torch.ones(n, n, dtype=torch.bool))
    additive = torch.zeros(1, 1, n, n, dtype=torch.float64).masked_fill(~mask, torch.finfo(torch.float64).min)
    model = reference_model()
    return record(
        model,
        [layer.attention.output.dense for layer in model.encoder.layer],
        input_ids=torch.tensor([real + [0] * (n - len(real))]),
        token_type_ids=torch.tensor([[0] * len(ids) + [1] * len(pair) + [0] * (n - len(real))]),
        attention_mask=additive,
    )


CASES = {
    "plain": (dict(), dict()),
    "one token": (dict(ids=[7]), dict(ids=[7])),
    "pair": (dict(pair=PAIR), dict(pair=PAIR)),
    "padded": (dict(pad_to=N_PADDED), dict(n_padded=N_PADDED)),
    "causal": (dict(settings=Settings(mask=Causal())), dict(causal=True)),
    "pair, padded and causal": (
        dict(pair=PAIR, pad_to=N_PADDED, settings=Settings(mask=Causal())),
        dict(pair=PAIR, n_padded=N_PADDED, causal=True),
    ),
}
"""name → (how we are asked, how they are asked)."""


def run_case(model, asked):
    """Our run of one case."""
    asked = dict(asked)
    return model.run(asked.pop("ids", IDS), **asked)
