"""Models whose every number is set by hand: the worked example, and whatever a reader makes of it."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import tokenizers
import torch
from torch import Tensor

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.tokens import Tokenizer
from attention.errors import ConfigError

NAME = "worked-example"

_WORDS = ("I", "learn")


def worked_example() -> Checkpoint:
    """Two words, X = W_Q = W_K = W_V = W_O = identity of 2.

    >>> worked_example().tensors["embed.tokens"]
    tensor([[1., 0.],
            [0., 1.]])
    """
    identity = torch.eye(2)
    return toy_checkpoint(_WORDS, identity, w_q=identity, w_k=identity, w_v=identity, w_o=identity)


def toy_checkpoint(
    words: Sequence[str],
    vectors: Tensor,
    *,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    name: str = NAME,
    revision: str = "built in",
) -> Checkpoint:
    """One head of attention over words that stand for given vectors.

    Args:
        words: The whole vocabulary, each word once.
        vectors: X, a row a word: [word, d_model].
        w_q: [d_model, d_head].
        w_k: [d_model, d_head].
        w_v: [d_model, d_value].
        w_o: [d_value, d_model].
        name: What to call it.
        revision: Where the numbers come from.

    Raises:
        ConfigError: Words are repeated, or there are not as many of them as vectors.
    """
    if len(set(words)) != len(words) or len(words) != len(vectors):
        raise ConfigError(f"{len(set(words))} different words cannot stand for {len(vectors)} vectors.")
    weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    layer = {f"layers.0.{which}": weight.unsqueeze(0) for which, weight in weights.items()}
    return Checkpoint(
        name=name,
        revision=revision,
        config=MappingProxyType(_config(len(words), w_q, w_v)),
        tensors=MappingProxyType({"embed.tokens": vectors, **layer}),
        tokenizer=_tokenizer(words),
    )


def _config(n_words: int, w_q: Tensor, w_v: Tensor) -> dict[str, Any]:
    return {
        "model_type": "toy",
        "n_layers": 1,
        "n_heads": 1,
        "n_kv_heads": 1,
        "d_model": w_q.shape[0],
        "d_head": w_q.shape[1],
        "d_value": w_v.shape[1],
        "d_vocab": n_words,
        "n_positions": 512,
    }


def _tokenizer(words: Sequence[str]) -> Tokenizer:
    vocabulary = {word: id for id, word in enumerate(words)}
    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return Tokenizer(raw)
