"""How near a forward pass comes to what this machine can multiply at best."""

from statistics import median

import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.benchmarks.ledger import Row, machine, verdict, write
from tests.benchmarks.pairs import seconds

REPEATS = 15
SIZES = ((512, 384, 1536), (1024, 1024, 1024), (2048, 2048, 2048), (1536, 1536, 1536))
IDS = [101, *range(2000, 2510), 102]


def best_product() -> float:
    """Operations a second of the fastest float32 product among a few sizes."""
    rates = []
    for rows, inner, columns in SIZES:
        a, b = torch.randn(rows, inner), torch.randn(inner, columns)
        fastest = min(seconds(lambda a=a, b=b: a @ b) for _ in range(REPEATS))
        rates.append(2 * rows * inner * columns / fastest)
    return max(rates)


def bench_share_of_the_machine(minilm):
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        minilm.run(IDS)
    operations = counter.get_total_flops()
    minilm.run(IDS)
    shares, rates = [], []
    for _ in range(5):
        best = best_product()
        rate = operations / median(seconds(lambda: minilm.run(IDS)) for _ in range(5))
        shares.append(rate / best)
        rates.append(rate)
    share = median(shares)
    measured = f"{share:.2f} ({median(rates) / 1e9:.0f} Gflop/s of {median(rates) / share / 1e9:.0f})"
    what = "MiniLM, 512 tokens: forward FLOPs per second ÷ this machine’s best float32 product"
    write(Row(what, "≥ 0.7", "0.8", measured, verdict(share, 0.7, 0.8, most=False), machine()))
