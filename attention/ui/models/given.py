"""The model that the app was started with: ``streamlit run app.py -- path/to/model.gguf``, or a folder.

It is chosen when the page opens without a link. Its path is for whoever started the app: what is shown of
it is its last part, and no link names it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from attention.checkpoints.catalog import CATALOG
from attention.figures.labels import plain_label

SCRIPT = "app.py"


def path() -> Path | None:
    """Where it lies; None where the app was started without one, or with what is no model."""
    named = _named()
    return named if named is not None and is_model(named) else None


def name() -> str | None:
    """What it is called in a view. A name of the catalog means the catalog's model."""
    there = path()
    if there is None:
        return None
    return f"{there.name} (file)" if there.name in CATALOG else there.name


def problem() -> str | None:
    """What is wrong with the path that the app was started with; None when nothing is."""
    named = _named()
    if named is None or is_model(named):
        return None
    what = "is neither a folder with a config.json nor a .gguf file" if named.exists() else "is not there"
    return f"The app was started with “{plain_label(named.name)}”, which {what}; the default model is open."


def is_model(place: Path) -> bool:
    """Whether something on the disk looks like a model."""
    if place.is_dir():
        return (place / "config.json").is_file()
    return place.suffix.lower() == ".gguf" and place.is_file()


def _named() -> Path | None:
    """Streamlit hands scripts what stands behind ``--``, after the script's own path."""
    script, *behind = sys.argv or [""]
    if Path(script).name != SCRIPT or not behind:
        return None
    return Path(behind[0]).expanduser().absolute()
