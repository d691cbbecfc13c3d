"""Tokenizers from the files that came before `tokenizer.json`: `vocab.txt`, or `vocab.json` and `merges.txt`.

Such files hold pieces and merges alone; how a text is prepared and what is put round it follows from the kind
of model, and from `tokenizer_config.json` where there is one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from attention.checkpoints.byte_level import GPT2, QWEN2, byte_level
from attention.checkpoints.damage import read_json_object, what_it_is
from attention.errors import CheckpointError

VOCAB_TXT, VOCAB_JSON, MERGES = "vocab.txt", "vocab.json", "merges.txt"
SETTINGS = "tokenizer_config.json"

_CUTTINGS = {"gpt2": GPT2, "roberta": GPT2, "qwen2": QWEN2, "qwen3": QWEN2}
_SPECIAL = {
    "gpt2": ("<|endoftext|>",),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    "qwen2": ("<|endoftext|>",),
    "qwen3": ("<|endoftext|>",),
}


def word_pieces(folder: Path, model_type: str) -> Tokenizer:
    """BERT's: `vocab.txt`, a piece a line.

    Raises:
        CheckpointError: Another kind of model, or a file that is not what it should be.
    """
    check_kind(folder / VOCAB_TXT, model_type, ("bert", "distilbert"))
    lines = _text(folder / VOCAB_TXT).split("\n")
    ids = {piece: id for id, piece in enumerate(lines) if piece or id < len(lines) - 1}
    _check_has(folder / VOCAB_TXT, ids, ("[UNK]", "[CLS]", "[SEP]"))
    settings = _settings(folder)
    raw = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    raw.normalizer = normalizers.BertNormalizer(
        lowercase=bool(settings.get("do_lower_case", True)),
        handle_chinese_chars=bool(settings.get("tokenize_chinese_chars", True)),
        strip_accents=settings.get("strip_accents"),
    )
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.add_special_tokens([name for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if name in ids])
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])],
    )
    return raw


def byte_pieces(folder: Path, model_type: str) -> Tokenizer:
    """GPT-2's and its heirs': `vocab.json` with the ids, `merges.txt` with a merge a line.

    Raises:
        CheckpointError: Another kind of model, or files that do not fit together.
    """
    check_kind(folder / VOCAB_JSON, model_type, tuple(_CUTTINGS))
    ids, merges = vocabulary(folder / VOCAB_JSON), _merges(folder / MERGES)
    try:
        raw = byte_level(ids, merges, _CUTTINGS[model_type])
    except Exception as error:  # the library raises nothing narrower
        raise CheckpointError(f"{folder / MERGES} does not fit {VOCAB_JSON}: {error}.") from error
    _add(raw, folder, _added(folder) or [_special(name) for name in _SPECIAL[model_type] if name in ids])
    if model_type == "roberta":
        _check_has(folder / VOCAB_JSON, ids, ("<s>", "</s>"))
        raw.post_processor = processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]))
    return raw


def vocabulary(path: Path) -> dict[str, int]:
    """The ids of a `vocab.json`.

    Raises:
        CheckpointError: It holds something else, or nothing.
    """
    found = read_json_object(path)
    if not found:
        raise CheckpointError(f"{path} has a vocabulary of 0 tokens.")
    for piece, id in found.items():
        if type(id) is not int or not 0 <= id < 1 << 31:
            raise CheckpointError(f"{path} gives “{piece[:40]}” the id {str(id)[:20]}, which is none.")
    return found


def _merges(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in _text(path).split("\n") if line and not line.startswith("#version")]
    merges = [tuple(line.split(" ")) for line in lines]
    for number, merge in enumerate(merges):
        if len(merge) != 2:
            raise CheckpointError(f"{path} has “{lines[number][:40]}” where two pieces were expected.")
    return [(merge[0], merge[1]) for merge in merges]


def _text(path: Path) -> str:
    what = what_it_is(path)
    if what is not None and not what.startswith("a web page"):  # a vocabulary may well begin with "<s>"
        raise CheckpointError(f"{path} is {what}.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(
            f"{path} is not text in UTF-8: {error.reason} at byte {error.start:,}."
        ) from error


def _settings(folder: Path) -> Mapping[str, Any]:
    return read_json_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}


def _added(folder: Path) -> list[tuple[int | None, AddedToken]]:
    """The tokens that `tokenizer_config.json` adds, with their ids."""
    said = _settings(folder).get("added_tokens_decoder")
    if not isinstance(said, dict):
        return []
    try:
        by_id = {int(id): _added_token(fields) for id, fields in said.items()}
        return [(id, by_id[id]) for id in sorted(by_id)]
    except (ValueError, TypeError, KeyError) as error:
        raise CheckpointError(f"{folder / SETTINGS} has added_tokens_decoder that cannot be read.") from error


def _added_token(fields: Mapping[str, Any]) -> AddedToken:
    flags = {key: bool(fields.get(key, False)) for key in ("special", "lstrip", "rstrip", "single_word")}
    return AddedToken(fields["content"], normalized=bool(fields.get("normalized", False)), **flags)


def _special(name: str) -> tuple[None, AddedToken]:
    return None, AddedToken(name, special=True, normalized=False, lstrip=name == "<mask>")


def _add(raw: Tokenizer, folder: Path, added: list[tuple[int | None, AddedToken]]) -> None:
    for id, token in added:
        add = raw.add_special_tokens if token.special else raw.add_tokens
        add([token])
        if id is not None and raw.token_to_id(token.content) != id:
            raise CheckpointError(
                f"{folder / SETTINGS} gives “{token.content}” the id {id}, and {VOCAB_JSON} makes it "
                f"{raw.token_to_id(token.content)}."
            )


def check_kind(path: Path, model_type: str, known: tuple[str, ...]) -> None:
    """Refuse a kind of model whose way of cutting a text is not known from this file.

    Raises:
        CheckpointError: It is none of those.
    """
    if model_type not in known:
        raise CheckpointError(
            f"{path} alone does not say how a “{model_type}” cuts a text; without a tokenizer.json that is "
            f"known of {', '.join(known)}."
        )


def _check_has(path: Path, ids: Mapping[str, int], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in ids:
            raise CheckpointError(f"{path} has no {name}, which this kind of model puts round every text.")
