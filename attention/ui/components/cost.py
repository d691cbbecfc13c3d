"""The Cost page's own pictures: strings made by `attention.figures`, with their style sheet."""

from attention.ui.components.assets import register

_picture = register("cost", scripts=("markup.js",), styles=("figures.css", "cost.css"))


def picture(html: str, *, element_key: str) -> None:
    """Show a string made by `attention.figures`. Never a string with unescaped text of the reader's."""
    _picture(key=element_key, data=html)
