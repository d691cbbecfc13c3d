"""The seconds that a long run is said to take, against those it takes."""

from statistics import median

import pytest

from attention import load
from attention.analysis.estimate import cost, rates
from tests.benchmarks.ledger import Row, machine, verdict, write
from tests.benchmarks.pairs import seconds

pytestmark = pytest.mark.weights


@pytest.mark.parametrize(("n", "repeats"), [(2048, 5), (8192, 1)])
def bench_seconds_told(n, repeats):
    model = load("smollm2", fetch=False)
    ids = [100 + 7 * at % 49_000 for at in range(n)]
    pairs = [(rates(model).seconds(cost(model, n)), seconds(lambda: model.run(ids))) for _ in range(repeats)]
    told, taken = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(said / took for said, took in pairs)
    measured = f"{ratio:.2f} ({told:.1f} ÷ {taken:.1f} s)"
    what = f"SmolLM2, {n:,} tokens: seconds told before the run ÷ seconds taken"
    write(Row(what, "½ to 2", "", measured, verdict(max(ratio, 1 / ratio), 2, None), machine()))
