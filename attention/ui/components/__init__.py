"""Streamlit components of our own: a Python function each, with its script and style beside it."""

from attention.ui.components.examples import Item, examples
from attention.ui.components.head_sheet import head_sheet, pooled, side_for
from attention.ui.components.heatmap import heatmap
from attention.ui.components.lines import lines
from attention.ui.components.markup import markup, value_table
from attention.ui.components.step_strip import step_strip
from attention.ui.components.token_strip import Chip, token_strip

__all__ = [
    "Chip",
    "Item",
    "examples",
    "head_sheet",
    "heatmap",
    "lines",
    "markup",
    "pooled",
    "side_for",
    "step_strip",
    "token_strip",
    "value_table",
]
