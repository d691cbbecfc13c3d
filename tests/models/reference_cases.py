"""What transformers made of real weights, kept in tests/data, and how near to it we have to come.

float32 has limits: weights to 5e-6, everything else to 2e-5 × max(1, the largest of its kind).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

DATA = Path(__file__).parents[1] / "data"
WEIGHTS, OTHERS = 5e-6, 2e-5


@dataclass(frozen=True)
class Sentence:
    """One sentence's reference; `hidden` at some doors only, the last of them after the final norm."""

    text: str
    ids: list[int]
    attention: np.ndarray
    layers: list[int]
    hidden: np.ndarray
    logits: np.ndarray
    likeliest: list[int]


def stored(name: str) -> Any:
    return np.load(DATA / name)


def sentence(data: Any, number: int) -> Sentence:
    def part(what: str) -> np.ndarray:
        return data[f"s{number}_{what}"]

    return Sentence(
        str(part("text")), part("ids").tolist(), part("attn"), data["layers"].tolist(), part("hidden"),
        part("logits"), part("likeliest").tolist(),
    )  # fmt: skip


def near(found: torch.Tensor, expected: np.ndarray) -> None:
    largest = max(1.0, float(np.abs(expected).max()))
    torch.testing.assert_close(found, torch.from_numpy(expected), atol=OTHERS * largest, rtol=0)


def check(run: Any, expected: Sentence, stride: int) -> None:
    """Hold a run against all that is kept of a sentence."""
    for layer in range(run.n_layers):
        ours, theirs = run.attention(layer).weights, torch.from_numpy(expected.attention[layer])
        torch.testing.assert_close(ours, theirs, atol=WEIGHTS, rtol=0, msg=f"layer {layer}")
    for place, layer in enumerate(expected.layers[:-1]):
        near(run.resid_pre[layer], expected.hidden[place])
    near(run.final, expected.hidden[-1])
    logits = run.logits[-1]
    near(logits[::stride], expected.logits)
    assert logits.topk(len(expected.likeliest)).indices.tolist() == expected.likeliest


def stock_tensors(path: Path) -> dict[str, np.ndarray]:
    """Every tensor of a GGUF file, by the reader that comes with the format."""
    reader = gguf.GGUFReader(path)
    return {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}


def gguf_names(architecture: gguf.MODEL_ARCH, n_layers: int, names: list[str]) -> dict[str, str]:
    """From transformers' names to the file's, by `gguf`'s own map."""
    known = gguf.get_tensor_name_map(architecture, n_layers)
    return {name: f"{known.get_name(name.rpartition('.')[0])}.{name.rpartition('.')[2]}" for name in names}
