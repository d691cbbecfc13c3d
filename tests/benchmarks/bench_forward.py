"""A run and one opened layer against transformers' eager attention that returns every layer's weights."""

import pytest
import torch
from transformers import AutoModel

from attention import load
from attention.checkpoints.fetch import fetch
from tests.benchmarks.ledger import Row, machine, verdict, write
from tests.benchmarks.pairs import paired

REPEATS = 15
SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def opened(model, ids, layer):
    """What the app computes to show a head: the run, and the weights of all heads of one layer."""
    return model.run(ids).attention(layer).weights


@pytest.fixture(scope="module")
def eager_minilm():
    return AutoModel.from_pretrained(fetch("minilm"), attn_implementation="eager").eval()


@pytest.mark.parametrize(("n", "must", "goal"), [(64, 1.1, 1.0), (256, 1.0, 0.9), (512, 0.9, 0.8)])
def bench_minilm(minilm, eager_minilm, n, must, goal):
    ids = [101, *range(2000, 1998 + n), 102]
    compare(f"MiniLM, {n} tokens", minilm, eager_minilm, ids, must, goal, REPEATS)


@pytest.mark.weights
def bench_smollm2():
    theirs = AutoModel.from_pretrained(
        fetch("smollm2"), gguf_file=SMOLLM2_FILE, attn_implementation="eager", dtype=torch.float32
    ).eval()
    compare("SmolLM2, 1,024 tokens", load("smollm2"), theirs, list(range(100, 1124)), 0.7, 0.65, 5)


def compare(what, model, reference, ids, must, goal, repeats):
    tensor = torch.tensor([ids])
    with torch.no_grad():
        result = paired(
            lambda: opened(model, ids, 3), lambda: reference(tensor, output_attentions=True), repeats
        )
    met = verdict(result.ratio, must, goal)
    what = f"{what}: run plus one opened layer ÷ transformers eager with all attentions"
    write(Row(what, f"≤ {must}", f"{goal}", str(result), met, machine()))
