"""What a reader of checkpoints hands to the families."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attention.checkpoints.tokens import Tokenizer


@dataclass(frozen=True, eq=False, kw_only=True)
class Checkpoint:
    """A model as it lies on disk: its configuration, its tensors under their own names, its tokenizer.

    Attributes:
        name: What to call it on screen.
        revision: Which bytes these are: the hub's commit, or the start of a SHA-256.
        config: What `config.json` says, untouched; of a GGUF file, what it would say.
        tensors: Learned parameters, in the dtype they are stored in.
        tokenizer: What a text is cut with; None where there is none, and the model takes ids only.
        target_tokenizer: What the target of an encoder–decoder is cut with; None where that is the same.
    """

    name: str
    revision: str
    config: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    tokenizer: Tokenizer | None
    target_tokenizer: Tokenizer | None = None
