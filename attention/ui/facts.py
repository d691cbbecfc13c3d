"""What the files of all pages say about themselves, the same things under the same names.

They are those of Explore's files (`attention.export.view.facts`). What only one page has is added by it.
"""

from __future__ import annotations

from attention.model import Model
from attention.ui.scene import Scene


def of_model(
    model: Model,
    *,
    text: str = "",
    pair: str | None = None,
    site: str = "",
    layer: int | None = None,
    head: int | None = None,
    changes: str = "",
) -> dict[str, str]:
    """What one must know to read a picture or to make it again; what is not given is left out.

    Args:
        model: Who computed it.
        text: What it read.
        pair: The second sentence it read with it.
        site: Whose attention.
        layer: Of which layer.
        head: Of which of its heads.
        changes: What the reader changed about the model, in words.
    """
    said = {
        "model": model.name,
        "revision": model.revision,
        "attention": site,
        "layer": "" if layer is None else f"L{layer}",
        "head": "" if head is None else f"H{head}",
        "changes": changes,
        "text": text,
        "second sentence": pair or "",
    }
    return {name: value for name, value in said.items() if value}


def of_scene(of: Scene) -> dict[str, str]:
    """The same of the head that a view is about."""
    view = of.view
    return of_model(
        of.run.model,
        text=view.text,
        pair=view.pair,
        site=view.site,
        layer=view.layer,
        head=view.head,
        changes=of.changes,
    )
