"""The memory that a long run is said to take, against what it takes."""

import subprocess
import sys

import pytest

N_TOKENS = 2048

MEASURE = f"""
import resource
from attention import load
from attention.analysis.estimate import cost

def peak():
    scale = 1 if __import__("sys").platform == "darwin" else 1024
    return scale * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

model = load("smollm2")
model.run([1, 2, 3])
before = peak()
run = model.run([7 * at % 49_000 for at in range({N_TOKENS})])
print(cost(model, {N_TOKENS}).peak_bytes, peak() - before)
"""


@pytest.mark.weights
def test_a_runs_memory_is_told_within_a_factor_of_two():
    ran = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    told, taken = map(int, ran.stdout.split())
    assert taken / 2 <= told <= 2 * taken
