"""What a run depends on, and with it all that is kept of one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from attention.engine.settings import Settings
from attention.sites import Site

Which: TypeAlias = tuple[str, int | None]
"""A model: its name, and the seed where it is a shuffled control."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Everything a run depends on."""

    model: str
    text: str
    pair: str | None = None
    target: str | None = None
    pad: int | None = None
    shuffled: int | None = None
    settings: Settings = field(default_factory=Settings)

    @property
    def which(self) -> Which:
        """The model that reads."""
        return self.model, self.shuffled

    @property
    def untouched(self) -> Asked:
        """The same text under the model's own attention."""
        return replace(self, settings=Settings())


OneHead: TypeAlias = tuple[Asked, Site, int, int] | tuple[Asked, Site, int, int, Literal["words"]]
"""A run, one kind of its attention, a layer and a head; between words where that is said."""
