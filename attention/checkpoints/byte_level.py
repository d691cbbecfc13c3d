"""How byte-level vocabularies cut a text before they merge bytes, by the names that files give these ways."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors


@dataclass(frozen=True, slots=True)
class Cutting:
    """What happens to a text before its bytes are merged.

    Attributes:
        pattern: What is kept together; None for GPT-2's own, which the library has built in.
        digits: Whether each digit is cut off first.
        composed: Whether accents are joined to their letters first (NFC).
        whole: Whether a word that is a token is taken as it is, whatever the merges would make of it.
        begins: Whether texts begin with the beginning-of-text token, where the file does not say.
    """

    pattern: str | None = None
    digits: bool = False
    composed: bool = False
    whole: bool = False
    begins: bool = False


# As Qwen2's and Llama 3's own tokenizer.json have them; llama.cpp's `llama-vocab.cpp` gives them their names.
_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_LLAMA3 = _QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

GPT2 = Cutting()
SMOLLM = Cutting(digits=True)
QWEN2 = Cutting(_QWEN2, composed=True)
LLAMA3 = Cutting(_LLAMA3, whole=True, begins=True)

CUTTINGS: Mapping[str, Cutting] = MappingProxyType(
    {
        "default": GPT2,
        "gpt-2": GPT2,
        "smollm": SMOLLM,
        "qwen2": QWEN2,
        "deepseek-r1-qwen": QWEN2,
        "llama-bpe": LLAMA3,
        "llama-v3": LLAMA3,
        "llama3": LLAMA3,
    }
)
"""By `tokenizer.ggml.pre`."""


def byte_level(vocabulary: Mapping[str, int], merges: list[tuple[str, str]], cutting: Cutting) -> Tokenizer:
    """A tokenizer that merges bytes. Its offsets are those of the text, spaces before a word included."""
    raw = Tokenizer(models.BPE(dict(vocabulary), merges, ignore_merges=cutting.whole))
    if cutting.composed:
        raw.normalizer = normalizers.NFC()
    raw.pre_tokenizer = _before_merging(cutting)
    raw.decoder = decoders.ByteLevel()
    return raw


def _before_merging(cutting: Cutting) -> Any:
    if cutting.pattern is not None:
        split = pre_tokenizers.Split(Regex(cutting.pattern), behavior="isolated")
        bytes_alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        return pre_tokenizers.Sequence([split, bytes_alone])
    plain = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if not cutting.digits:
        return plain
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), plain])


def add_tokens(raw: Tokenizer, special: list[str], plain: list[str]) -> None:
    """Tokens that are found in a text before it is cut, and stay whole."""
    raw.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    raw.add_tokens([AddedToken(text, special=False, normalized=False) for text in plain])


def add_ends(raw: Tokenizer, begin: tuple[str, int] | None, end: tuple[str, int] | None) -> None:
    """Put a token before and after each text."""
    if begin is None and end is None:
        return
    first = f"{begin[0]}:{{0}} " if begin else ""
    last = f" {end[0]}:{{0}}" if end else ""
    one = f"{first}${{1}}:{{0}}{last}"
    single = one.replace("{1}", "A").replace("{0}", "0")
    second = one.replace("{1}", "B").replace("{0}", "1")
    raw.post_processor = processors.TemplateProcessing(
        single=single, pair=f"{single} {second}", special_tokens=[token for token in (begin, end) if token]
    )
