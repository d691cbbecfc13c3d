"""One kind of attention in a run: whose tokens look, whose are looked at, and its steps layer by layer.

A model of one stack has self-attention alone. An encoder–decoder has three kinds: its encoder's, which reads
the source; its decoder's, which reads what was written so far; and cross-attention, through which the decoder
looks at the source (Vaswani et al. 2017, section 3.2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from attention.checkpoints.tokens import Token
from attention.engine.config import AttentionConfig
from attention.engine.trace import AttentionTrace
from attention.errors import InputError
from attention.run import Run

Site: TypeAlias = Literal["self", "cross", "encoder"]
SITES: tuple[Site, ...] = get_args(Site)
"""In the order in which a run names them; "self" is the decoder's where there is an encoder."""


@dataclass(frozen=True, eq=False)
class SiteRun:
    """One kind of attention of one run.

    Attributes:
        run: The run; of an encoder–decoder the decoder's, with the encoder's inside.
        site: Which kind.

    Raises:
        InputError: The model has no such attention.
    """

    run: Run
    site: Site = "self"

    def __post_init__(self) -> None:
        if self.site not in self.run.sites:
            known = ", ".join(self.run.sites)
            raise InputError(f"{self.run.model.name} has no attention “{self.site}”; it has: {known}.")

    @property
    def stack(self) -> Run:
        """The run whose layers this attention stands in, and whose tokens are its queries."""
        encoder = self.run.encoder
        return self.run if self.site != "encoder" or encoder is None else encoder

    @property
    def queries(self) -> tuple[Token, ...]:
        """The tokens that look, one a row."""
        return self.stack.tokens

    @property
    def keys(self) -> tuple[Token, ...]:
        """The tokens that are looked at, one a column."""
        encoder = self.run.encoder
        return self.stack.tokens if self.site != "cross" or encoder is None else encoder.tokens

    @property
    def n_layers(self) -> int:
        """Layers that have this attention."""
        return self.stack.n_layers

    @property
    def n_heads(self) -> int:
        """Query heads a layer."""
        return self.stack.n_heads

    def config(self, layer: int) -> AttentionConfig:
        """Sizes and choices of one layer's attention of this kind; no step is taken for it."""
        block = self.stack.model.transformer.stack.layers[layer]
        sublayer = block.attention if self.site != "cross" or block.cross is None else block.cross
        return sublayer.config

    def trace(self, layer: int) -> AttentionTrace:
        """The steps of one layer's attention of this kind.

        Raises:
            InputError: There is no such layer.
        """
        return self.run.cross_attention(layer) if self.site == "cross" else self.stack.attention(layer)


def every_site(run: Run) -> tuple[SiteRun, ...]:
    """All kinds of attention that a run has."""
    return tuple(SiteRun(run, site) for site in SITES if site in run.sites)
