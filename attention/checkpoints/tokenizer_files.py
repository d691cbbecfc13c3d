"""Which tokenizer a folder holds, by the names of its files: one, two (source and target), or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention.checkpoints.damage import read_json_object, what_it_is
from attention.checkpoints.library_cutter import LibraryCutter, library_cutter
from attention.checkpoints.sentencepiece_cutter import marian_cutter, t5_cutter
from attention.checkpoints.tokens import Cutter, Tokenizer
from attention.checkpoints.vocabulary_files import (
    MERGES,
    SETTINGS,
    VOCAB_JSON,
    VOCAB_TXT,
    byte_pieces,
    check_kind,
    vocabulary,
    word_pieces,
)
from attention.errors import CheckpointError

TOKENIZER, T5, SOURCE, TARGET = "tokenizer.json", "spiece.model", "source.spm", "target.spm"
TARGET_VOCABULARY = "target_vocab.json"

KNOWN = (TOKENIZER, VOCAB_TXT, VOCAB_JSON, MERGES, T5, SOURCE, TARGET, TARGET_VOCABULARY, SETTINGS)
"""What is read here; a hub repository is asked for these."""

_UNKNOWN = (
    "*.model",
    "*.spm",
    "*.tiktoken",
    "vocab.bpe",
    "encoder.json",
    "*.tekken",
    "tekken.json",
    "bpe.codes",
)
_T5_EXTRA = 100


@dataclass(frozen=True, slots=True)
class Tokenizers:
    """What a folder's texts are cut with; `target` is None where it is the same as `source`."""

    source: Tokenizer | None = None
    target: Tokenizer | None = None


def tokenizers_of(folder: Path, config: Mapping[str, Any]) -> Tokenizers:
    """The tokenizers of a folder; none where it holds none, and the model takes ids only.

    Raises:
        CheckpointError: A file is damaged, not of a known kind, or has more tokens than the model.
    """
    has = {name for name in KNOWN if (folder / name).is_file()}
    model_type = str(config.get("model_type"))
    if TOKENIZER in has:
        return _one(_from_json(folder / TOKENIZER), config, folder / TOKENIZER)
    if {SOURCE, TARGET, VOCAB_JSON} <= has:
        return _marian(folder, config)
    if T5 in has:
        return _one(_t5(folder, model_type), config, folder / T5)
    if VOCAB_TXT in has:
        return _one(LibraryCutter(word_pieces(folder, model_type)), config, folder / VOCAB_TXT)
    if {VOCAB_JSON, MERGES} <= has:
        return _one(LibraryCutter(byte_pieces(folder, model_type)), config, folder / VOCAB_JSON)
    _check_none(folder)
    return Tokenizers()


def _one(cutter: Cutter, config: Mapping[str, Any], path: Path) -> Tokenizers:
    return Tokenizers(_tokenizer(cutter, config, path, "vocab_size"))


def _tokenizer(cutter: Cutter, config: Mapping[str, Any], path: Path, size: str) -> Tokenizer:
    """Held against the model's own size: an id past the embedding has no vector."""
    n_rows = _n_rows(config, size)
    if n_rows is not None and cutter.n_vocab > n_rows:
        raise CheckpointError(
            f"{path} has ids up to {cutter.n_vocab - 1:,}, and the model's embedding has {n_rows:,} rows."
        )
    pad_id = config.get("pad_token_id")
    known = type(pad_id) is int and 0 <= pad_id < (n_rows or cutter.n_vocab)
    return Tokenizer(cutter, pad_id=pad_id if known else None, n_rows=n_rows)


def _n_rows(config: Mapping[str, Any], size: str) -> int | None:
    inner = config.get("text_config")
    found = config.get(size, inner.get(size) if isinstance(inner, dict) else None)
    return found if type(found) is int else None


def _from_json(path: Path) -> Cutter:
    what = what_it_is(path)
    if what is not None:
        raise CheckpointError(f"{path} is {what}.")
    return library_cutter(path)


def _t5(folder: Path, model_type: str) -> Cutter:
    check_kind(folder / T5, model_type, ("t5", "mt5"))
    settings = read_json_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    n_extra = settings.get("extra_ids", _T5_EXTRA if model_type == "t5" else 0)
    if type(n_extra) is not int or not 0 <= n_extra <= 10_000:
        raise CheckpointError(
            f"{folder / SETTINGS} has {str(n_extra)[:20]} extra_ids, which is no such number."
        )
    return t5_cutter(folder / T5, n_extra)


def _marian(folder: Path, config: Mapping[str, Any]) -> Tokenizers:
    """Two models of sentencepieces, over one vocabulary or two."""
    own = folder / VOCAB_JSON
    theirs = folder / TARGET_VOCABULARY if (folder / TARGET_VOCABULARY).is_file() else own
    size = "vocab_size" if theirs == own or "decoder_vocab_size" not in config else "decoder_vocab_size"
    source = marian_cutter(folder / SOURCE, vocabulary(own), own)
    target = marian_cutter(folder / TARGET, vocabulary(theirs), theirs)
    return Tokenizers(_tokenizer(source, config, own, "vocab_size"), _tokenizer(target, config, theirs, size))


def _check_none(folder: Path) -> None:
    """A tokenizer of another make is named: ids alone would leave the reader wondering why."""
    others = sorted(path.name for pattern in _UNKNOWN for path in folder.glob(pattern))
    if others:
        raise CheckpointError(
            f"{folder} has the tokenizer {others[0]}, which is not read here; known are {TOKENIZER}, "
            f"{VOCAB_TXT}, {VOCAB_JSON} with {MERGES}, {T5}, and {SOURCE} with {TARGET} and {VOCAB_JSON}."
        )
