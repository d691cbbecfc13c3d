"""How long a GGUF model takes to open, and how much memory that takes at its worst."""

from statistics import median

import pytest

from attention.checkpoints.fetch import fetch
from tests.models.opening import opened

REPEATS = 3


@pytest.mark.parametrize(
    ("name", "most_seconds", "most_bytes"),
    [
        ("smollm2", 2.0, 900_000_000),
        pytest.param("gemma3", None, 2_000_000_000, marks=pytest.mark.gemma),
    ],
)
def bench_open(name, most_seconds, most_bytes):
    fetch(name)
    runs = [opened(name) for _ in range(REPEATS)]
    seconds, peak = median(run[0] for run in runs), max(run[1] for run in runs)
    print(f"\n{name}: opens in {seconds:.2f} s, peak {peak / 1e6:.0f} MB")
    assert peak < most_bytes
    assert most_seconds is None or seconds < most_seconds
