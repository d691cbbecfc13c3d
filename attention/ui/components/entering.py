"""The keyboard's way into a popover. Streamlit leaves it on the button, the whole page away."""

from attention.ui.components.assets import register

_entering = register("entering", scripts=("entering.js",), styles=())


def entering(element_key: str) -> None:
    """Stands last in a popover: when that opens, its first control has the keyboard."""
    _entering(key=element_key, data="")
