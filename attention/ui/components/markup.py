"""Figures made in Python as HTML and SVG strings. Streamlit's own st.html drops <svg>."""

from attention.ui.components.assets import register

_figure = register("figure", scripts=("markup.js",), styles=("figures.css",))
_table = register("value_table", scripts=("value_table.js",), styles=("figures.css",))


def markup(html: str, *, element_key: str) -> None:
    """Show a string made by `attention.figures`. Never a string with unescaped text of the reader's."""
    _figure(key=element_key, data=html)


def value_table(html: str, *, element_key: str) -> None:
    """Show the table made by `figures.value_mix`, with its headers sorting and its rows unfolding."""
    _table(key=element_key, data=html)
