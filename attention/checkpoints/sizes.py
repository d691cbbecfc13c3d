"""Bytes in words."""

_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def readable(n_bytes: int) -> str:
    """How large something is, in the unit a reader would choose.

    >>> readable(612), readable(466_247), readable(90_868_376), readable(1_070_000_000)
    ('612 bytes', '466 kB', '91 MB', '1.1 GB')
    """
    for size, unit in _UNITS:
        if n_bytes >= size:
            number = n_bytes / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{n_bytes} bytes"
