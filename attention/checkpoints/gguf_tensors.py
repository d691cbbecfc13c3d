"""The tensors of a GGUF file under the names, and in the layout, that transformers gives them.

llama.cpp's converter renames everything and rearranges three things, which are put back here: the rows of
Llama's Q and K, so that a rotated pair is (i, i + d/2) again and not (2i, 2i + 1); Gemma's gains, stored as
1 + w; and GPT-2's matrices, which transformers keeps as [in, out].
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.checkpoints.gguf_config import Config, architecture_of
from attention.checkpoints.gguf_header import Header
from attention.checkpoints.gguf_rope import DIVISORS
from attention.checkpoints.gguf_values import values
from attention.errors import CheckpointError

Array = NDArray[np.floating[Any]]

_LLAMA = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_GEMMA = _LLAMA | {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_GPT2 = {
    "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn",
    "attn_output": "attn.c_proj",
    "ffn_norm": "ln_2",
    "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}
_OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_OUTSIDE_GPT2 = {
    "token_embd": "transformer.wte",
    "position_embd": "transformer.wpe",
    "output_norm": "transformer.ln_f",
    "output": "lm_head",
}

_NAME = re.compile(r"(?:blk\.(?P<layer>\d{1,6})\.)?(?P<what>\w+)\.(?P<part>weight|bias)")


@dataclass(frozen=True, slots=True)
class _Layout:
    """How transformers names an architecture's tensors, and what to put back."""

    blocks: str
    inside: Mapping[str, str]
    outside: Mapping[str, str]
    put_back: Callable[[str, Array, Config], Array]


def tensors_of(header: Header, config: Config) -> Iterator[tuple[str, Array]]:
    """Each tensor with its name, one at a time; one whose name is not known keeps it.

    Raises:
        CheckpointError: Its type cannot be read, or two tensors are the same to transformers.
    """
    layout = _LAYOUTS[architecture_of(header)]
    names: set[str] = set()
    for entry in header.tensors.values():
        if entry.name == DIVISORS:  # in the config by now
            continue
        name, what = _renamed(entry.name, layout)
        if name in names:
            raise CheckpointError(f"{header.path} is damaged: it has {name} twice, once as {entry.name}.")
        names.add(name)
        yield name, layout.put_back(what, values(header, entry), config)


def _renamed(name: str, layout: _Layout) -> tuple[str, str]:
    """The name that transformers has for a tensor, and what llama.cpp calls its kind."""
    match = _NAME.fullmatch(name)
    if match is None:
        return name, ""
    layer, what, part = match["layer"], match["what"], match["part"]
    theirs = (layout.outside if layer is None else layout.inside).get(what)
    if theirs is None:
        return name, ""
    place = "" if layer is None else f"{layout.blocks}.{int(layer)}."
    return f"{place}{theirs}.{part}", what


def _llama_rows(what: str, array: Array, config: Config) -> Array:
    """[head, pair, 2] → [head, 2, pair], of the rows of Q and K: 3 heads for K where Q has 9."""
    if what not in ("attn_q", "attn_k"):
        return array
    n_heads = config["num_attention_heads" if what == "attn_q" else "num_key_value_heads"]
    n_rows = len(array)
    if n_rows % (2 * n_heads):
        return array  # mis-shaped: the family will say so, with both shapes
    pairs = array.reshape(n_heads, n_rows // n_heads // 2, 2, *array.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(array.shape)


def _gemma_gains(what: str, array: Array, config: Config) -> Array:
    """1 + w → w. In float64, where the subtraction is exact: 1 + w is then the stored number again."""
    del config
    return array.astype(np.float64) - 1 if what.endswith("norm") else array


def _gpt2_matrices(what: str, array: Array, config: Config) -> Array:
    """[out, in] → [in, out]."""
    del config
    turned = what in ("attn_qkv", "attn_output", "ffn_up", "ffn_down") and array.ndim == 2
    return np.ascontiguousarray(array.T) if turned else array


def _as_it_is(what: str, array: Array, config: Config) -> Array:
    del what, config
    return array


_LAYOUTS = {
    "llama": _Layout("model.layers", _LLAMA, _OUTSIDE, _llama_rows),
    "qwen2": _Layout("model.layers", _LLAMA, _OUTSIDE, _as_it_is),
    "qwen3": _Layout("model.layers", _LLAMA, _OUTSIDE, _as_it_is),
    "gemma2": _Layout("model.layers", _GEMMA, _OUTSIDE, _gemma_gains),
    "gemma3": _Layout("model.layers", _GEMMA, _OUTSIDE, _gemma_gains),
    "gpt2": _Layout("transformer.h", _GPT2, _OUTSIDE_GPT2, _gpt2_matrices),
}
