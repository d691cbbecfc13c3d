"""Opens a model in a process of its own; says how long it took and how much memory that process ever had."""

import json
import subprocess
import sys

_CODE = """
import json, sys, time
from pathlib import Path
from attention import load
start = time.perf_counter()
load(sys.argv[1], fetch=False)
seconds = time.perf_counter() - start
status = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "peak": peak}))
"""


def opened(name: str) -> tuple[float, int]:
    """Seconds and bytes; torch and the rest of the package are loaded before the clock starts."""
    done = subprocess.run([sys.executable, "-c", _CODE, name], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found["seconds"], found["peak"]
