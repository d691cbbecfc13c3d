"""The memory that a long run is said to take, against what it takes."""

import subprocess
import sys

import pytest

N_TOKENS = 2048

# What opening the model took at its worst is forgotten first: Linux counts the peak anew from there.
MEASURE = f"""
import ctypes, gc
from pathlib import Path
from attention import load
from attention.analysis.estimate import cost

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

model = load("smollm2")
model.run(range(100, 612))  # what torch sets up once, for products of this size
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
run = model.run([7 * at % 49_000 for at in range({N_TOKENS})])
print(cost(model, {N_TOKENS}).peak_bytes, status("VmHWM") - before)
"""


@pytest.mark.weights
def test_a_runs_memory_is_told_within_a_factor_of_two():
    ran = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    told, taken = map(int, ran.stdout.split())
    assert taken / 2 <= told <= 2 * taken
