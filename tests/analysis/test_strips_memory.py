"""A picture of one head at 8,192 tokens, and what it takes to make it."""

import subprocess
import sys

MOST_BYTES = 300_000_000

MEASURE = """
import resource, sys
import torch
from attention.analysis.strips import pooled
from attention.engine.config import AttentionConfig
from attention.engine.masks import Causal
from attention.engine.params import AttentionParams
from attention.engine.trace import AttentionTrace

n, d_model, d_head = 8192, 576, 64
def random(*shape):
    return torch.randn(*shape) / d_model**0.5
params = AttentionParams(w_q=random(1, d_model, d_head), w_k=random(1, d_model, d_head),
                         w_v=random(1, d_model, d_head), w_o=random(1, d_head, d_model))
config = AttentionConfig(d_model=d_model, n_heads=1, n_kv_heads=1, d_head=d_head, d_value=d_head,
                         scale=d_head**-0.5, own_mask=Causal())
x = torch.randn(n, d_model)
trace = AttentionTrace(config=config, params=params, query_input=x, key_input=x, mask_rule=Causal())

def peak():
    return (1 if sys.platform == "darwin" else 1024) * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

pooled(trace.rows(0, 64), 64)
before = peak()
made = pooled(trace, 256)
print(peak() - before, *made.values.shape)
"""


def test_a_pooled_head_at_8192_tokens_takes_little_memory():
    ran = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    added, *shape = map(int, ran.stdout.split())
    assert shape == [1, 256, 256]
    assert added < MOST_BYTES
