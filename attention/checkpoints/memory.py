"""How much memory there is, and whether a model fits; asked before anything is loaded."""

import os
from pathlib import Path

from attention.checkpoints.sizes import readable
from attention.errors import CheckpointError

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def machine_bytes() -> int | None:
    """The machine's memory, or what a container is allowed of it; None where that cannot be told."""
    limits = [_container_bytes(path) for path in _CGROUP_LIMITS]
    known = [limit for limit in (*limits, _physical_bytes()) if limit is not None]
    return min(known, default=None)


def check_memory(name: str, n_bytes: int) -> None:
    """Refuse a model that cannot fit.

    Args:
        name: What the reader calls it.
        n_bytes: What its parameters take in float32.

    Raises:
        CheckpointError: It needs more than the machine has; the message has both numbers.
    """
    has = machine_bytes()
    if has is not None and n_bytes > has:
        raise CheckpointError(
            f"{name} needs {readable(n_bytes)} of memory in float32, and this machine has {readable(has)}."
        )


def _physical_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _container_bytes(path: Path) -> int | None:
    try:
        limit = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(limit) if limit.isdecimal() else None
