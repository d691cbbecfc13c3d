"""Folders with a tiny model each, whose vocabulary is words: encoder–decoders, and one with local layers."""

import json
from copy import deepcopy

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from tests.families.decoders import GEMMA3
from tests.families.translators import MARIAN, T5

SPELLED = (
    "<pad> </s> <unk> the dog cat bank river loan chased approved we sat beside it because was ready "
    "der Hund die Katze Bank jagte saßen am Fluss und wir weil ."
)
WORDS = tuple(SPELLED.split())

CASES = {"tiny t5": T5, "tiny marian": MARIAN}
OTHERS = {"tiny gemma": GEMMA3}
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
