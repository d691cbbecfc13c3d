"""Folders with a tiny model each, whose vocabulary is words: encoder–decoders, and one with local layers."""

import json
from copy import deepcopy

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from attention import load
from tests.app.screen import opened
from tests.families.decoders import GEMMA3
from tests.families.translators import MARIAN, T5

SPELLED = (
    "<pad> </s> <unk> the dog cat bank river loan chased approved we sat beside it because was ready "
    "der Hund die Katze Bank jagte saßen am Fluss und wir weil ."
)
WORDS = tuple(SPELLED.split())

CASES = {"tiny t5": T5, "tiny marian": MARIAN}
OTHERS = {"tiny gemma": GEMMA3}
N_SOURCE, N_TARGET = 11, 7  # tokens of the two, special ones among them
SOURCE, TARGET = "the dog chased the cat because it was ready .", "der Hund jagte die Katze"


def write(folder, name):
    """A folder as one would find it: config.json, model.safetensors, tokenizer.json.

    Marian pads and begins with its last id and ends with its first, T5 the other way; both end a text.
    """
    case, place = (CASES | OTHERS)[name], folder / name
    place.mkdir()
    model = deepcopy(case.model()).float()
    model.save_pretrained(place)
    config = json.loads((place / "config.json").read_text())
    words = list(WORDS)
    if config["pad_token_id"]:
        words = [*words[1:2], *words[2:], "<pad>"]
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(["<pad>", "</s>"])
    tokenizer.post_processor = TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", words.index("</s>"))]
    )
    tokenizer.save(str(place / "tokenizer.json"))
    return place


def shown(name="tiny t5", **params):
    return opened(**({"s": SOURCE, "target": TARGET, "model": name, "layer": "1", "head": "1"} | params))


def run(folder, name="tiny t5", **asked):
    return load(folder / name).run(SOURCE, **({"target": TARGET} | asked))


def across_by_hand(folder, layer, head):
    """One head of T5's cross-attention in NumPy float64, from raw tensors and the residual streams."""
    of = run(folder)
    tensors = {name: part.numpy().astype(float) for name, part in of.model.checkpoint.tensors.items()}
    block = f"decoder.block.{layer}.layer"
    stream, memory = of.layer(layer).mid.numpy().astype(float), of.encoder.final.numpy().astype(float)
    gain = tensors[f"{block}.1.layer_norm.weight"]
    x = stream / np.sqrt((stream**2).mean(axis=1, keepdims=True) + 1e-6) * gain
    rows = slice(4 * head, 4 * head + 4)
    q, k, v = (
        given @ tensors[f"{block}.1.EncDecAttention.{which}.weight"][rows].T
        for which, given in (("q", x), ("k", memory), ("v", memory))
    )
    e = np.exp(q @ k.T - (q @ k.T).max(axis=1, keepdims=True))
    return q, k, v, e / e.sum(axis=1, keepdims=True)
