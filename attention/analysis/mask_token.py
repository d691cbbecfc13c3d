"""[MASK] is a token, not a mask: a word that is replaced can still be looked at; one that is hidden cannot.

Pre-training replaces words by [MASK] and asks for them (Devlin et al. 2019, section 3.1); an attention mask
takes a column out of the weights. The two share a name and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from attention.engine.masks import Keys, Own
from attention.engine.settings import Settings
from attention.errors import InputError
from attention.model import Model
from attention.run import Run, read

NAMES = ("[MASK]", "<mask>")


@dataclass(frozen=True)
class MaskToken:
    """What pre-training puts in a word's place."""

    id: int
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class BothMasks:
    """One word treated in both ways.

    Attributes:
        position: Where it stands.
        hidden: The run in which no token may look at it, in any layer.
        replaced: The run in which [MASK] stands in its place.
    """

    position: int
    hidden: Run
    replaced: Run


def mask_token(model: Model) -> MaskToken | None:
    """The token that pre-training put in a word's place; None where the model's vocabulary has none."""
    for name in NAMES:
        try:
            found = model.tokenize(name, special_tokens=False)
        except InputError:  # a vocabulary that knows nothing of these signs has no such token either
            continue
        if [token.text for token in found] == [name]:
            return MaskToken(found[0].id, name)
    return None


def both_masks(run: Run, position: int, token: MaskToken) -> BothMasks:
    """Hide a word by an attention mask, and, in another run, replace it by [MASK].

    Args:
        run: The sentence as it is.
        position: Of the word.
        token: What replaces it.

    Raises:
        InputError: There is no such position.
    """
    if not 0 <= position < len(run.tokens):
        raise InputError(f"There is no position {position}: the text has {len(run.tokens)} tokens.")
    put = replace(run.tokens[position], id=token.id, text=token.text, readable=None)
    tokens = (*run.tokens[:position], put, *run.tokens[position + 1 :])
    return BothMasks(
        position=position,
        hidden=run.again(Settings(mask=Own() & Keys({position}))),
        replaced=read(run.model, tokens, run.n_real, Settings()),
    )


def looked_at(run: Run, position: int) -> float | None:
    """The mean weight the other tokens give to one, over all layers and heads; padding's rows left out.

    None where there is no other token.
    """
    others = torch.tensor([at for at in range(run.n_real) if at != position])
    if not len(others):
        return None
    received = [run.attention(layer).weights[:, others, position] for layer in range(run.n_layers)]
    return float(torch.stack(received).double().mean())
