"""Charts and grids for the tests of figures, exports and pages."""

import numpy as np

from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid

HOSTILE = ("<b>", "$x$", "=1+1", "", "\n", "שלום", "a" * 40, "&amp;")


def growth(**changes) -> Chart:
    """Three series over d: points, a dashed theory and a line with points."""
    d = [4, 16, 64]
    given = {
        "title": "Variance of q·k",
        "x": Axis("d", log=True),
        "y": Axis("variance", log=True),
        "series": (
            Series("measured", d, [4.1, 15.9, 66.0], mark="points"),
            Series("theory", d, d, "text2", dashed=True),
            Series("scaled", d, [1.02, 0.98, 1.0], "weight", "both"),
        ),
    }
    return Chart(**(given | changes))


def scores(n=5, **changes) -> Grid:
    """Scores under a causal mask: −∞ above the diagonal."""
    values = np.random.default_rng(1).normal(size=(n, n)) * 4
    values[np.triu_indices(n, 1)] = -np.inf
    names = tuple(f"word{at}" for at in range(n))
    given = dict(row_title="query, looks", column_title="key, looked at", rows=names, columns=names)
    given |= dict(title="Masked scores", scale="scores")
    return Grid(values=values, **(given | changes))
