"""The table of speeds: each benchmark writes its row, the others stay; docs/benchmarks.md is the ledger."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

import torch

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"

HEAD = """# Speeds

Ratios are taken in one run on one machine: ours and the other's take turns, and the figure is the median of
the paired ratios. Seconds are medians too. `make bench` measures again and writes this file; a row that was
not run stays as it was. Each row names the machine it was measured on, and how busy that was.

| what | must | goal | measured | met | on |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: What is measured.
        must: What it must not pass, in words.
        goal: What would be better still.
        measured: What it came to, with the numbers behind a ratio.
        met: "yes", "goal", "no", or "–" where nothing was asked.
        machine: What it was measured on.
    """

    what: str
    must: str
    goal: str
    measured: str
    met: str
    machine: str

    def __str__(self) -> str:
        cells = (self.what, self.must, self.goal, self.measured, self.met, self.machine)
        return f"| {' | '.join(cells)} |"


def verdict(value: float, must: float | None, goal: float | None, most: bool = True) -> str:
    """Whether a figure keeps its bounds.

    >>> [verdict(figure, 1.0, 0.8) for figure in (0.7, 0.9, 2.0)], verdict(0.5, 0.7, 0.8, most=False)
    (['goal', 'yes', 'no'], 'no')
    """
    if must is None:
        return "–"
    sign = 1 if most else -1
    if goal is not None and sign * value <= sign * goal:
        return "goal"
    return "yes" if sign * value <= sign * must else "no"


def machine() -> str:
    """Cores, processor and load; no name."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    name = found[1] if found else platform.machine()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores, {name}, {torch.get_num_threads()} threads{load}"


def write(row: Row, document: Path = DOCUMENT) -> None:
    """Put a row into the table, over the one of the same name if there is one, and print it."""
    print(f"\n{row}")
    rows = rows_of(document)
    rows[row.what] = str(row)
    document.write_text(HEAD + "\n".join(rows.values()) + "\n" + notes_of(document), encoding="utf-8")


def rows_of(document: Path) -> dict[str, str]:
    """The rows that are there, by what they measure."""
    if not document.exists():
        return {}
    lines = [line for line in document.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines[1:]}


def notes_of(document: Path) -> str:
    """What is written by hand below the table."""
    text = document.read_text(encoding="utf-8") if document.exists() else ""
    at = text.find("\n## ")
    return "" if at < 0 else text[at:]
