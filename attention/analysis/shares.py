"""How much of a layer's output comes from one head."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from attention.engine.trace import AttentionTrace


def output_shares(trace: AttentionTrace, query: int) -> Float[Tensor, " head"]:
    """Each head's share of what the sublayer adds to the residual stream at one position.

    The head's contribution c_h (through W_O) is projected on the output o: c_h·o / o·o. The shares of all
    heads and of b_o sum to 1; a head that works against the others has a negative share. Where the output
    is zero there is nothing to share, and the shares are zero.
    """
    row = trace.rows(query, query + 1)
    output, contributions = row.output[0], row.head_contributions()[:, 0]
    size = output @ output
    shares: Tensor = contributions @ output / size if size > 0 else contributions @ output
    return shares
