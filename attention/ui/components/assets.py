"""Our components' scripts and styles, which lie beside this file, made into Streamlit components."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_FOLDER = Path(__file__).parent
_ROOT = '<div class="root"></div>\n'


def register(
    name: str, *, scripts: tuple[str, ...], styles: tuple[str, ...], html: str = _ROOT
) -> ComponentRenderer:
    """A component of our own: the shared script and style first, then its own files in the order given."""
    return st.components.v2.component(
        f"headlight.{name}",
        html=html,
        css=_read(("base.css", *styles)),
        js=_read(("shared.js", *scripts)),
    )


def _read(names: tuple[str, ...]) -> str:
    return "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)
