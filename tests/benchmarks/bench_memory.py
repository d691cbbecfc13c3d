"""Memory that a run adds above its model: ours with one head's steps, transformers' with every attention.

Each is measured in a process of its own, as the highest resident set less the one before the run.
"""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.bench_forward import SMOLLM2_FILE
from tests.benchmarks.ledger import Row, machine, verdict, write

pytestmark = pytest.mark.weights

_START = """
import ctypes, gc, json, sys, torch
from pathlib import Path
from attention.checkpoints.fetch import fetch
def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))
def added(action):
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    with torch.no_grad():
        kept = action()
    print(json.dumps(status("VmHWM") - before))
ids = list(range(100, 100 + int(sys.argv[1])))
"""
_OURS = (
    _START
    + """
from attention import load
from attention.engine.chain import chain
model = load("smollm2", fetch=False)
model.run(ids[:8])
def action():
    run = model.run(ids)
    return run, chain(run.attention(15).head(3))
added(action)
"""
)
_THEIRS = (
    _START
    + f"""
from transformers import AutoModel
model = AutoModel.from_pretrained(
    fetch("smollm2"), gguf_file="{SMOLLM2_FILE}", attn_implementation="eager", dtype=torch.float32).eval()
model(torch.tensor([ids[:8]]))
added(lambda: model(torch.tensor([ids]), output_attentions=True))
"""
)


def added(code: str, n_tokens: int) -> int:
    """Bytes that a run adds at its worst."""
    command = [sys.executable, "-W", "ignore", "-c", code, str(n_tokens)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("n", [1024, 2048])
def bench_added_memory(n):
    ours, theirs = added(_OURS, n), added(_THEIRS, n)
    ratio = ours / theirs
    measured = f"1/{1 / ratio:.1f} ({ours / 1e6:.0f} MB ÷ {theirs / 1e6:,.0f} MB)"
    what = f"SmolLM2, {n:,} tokens: memory added by a run plus one head ÷ transformers with all attentions"
    write(Row(what, "≤ 1/20", "", measured, verdict(ratio, 1 / 20, None), machine()))
