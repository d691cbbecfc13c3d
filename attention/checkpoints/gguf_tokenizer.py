"""The tokenizer that a GGUF file's metadata describes: of bytes and merges, or of sentencepieces."""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from tokenizers import Tokenizer, decoders, models, normalizers

from attention.checkpoints.byte_level import CUTTINGS, add_ends, add_tokens, byte_level
from attention.checkpoints.gguf_facts import Facts
from attention.checkpoints.gguf_header import Header
from attention.checkpoints.pieces import UNDERLINE
from attention.errors import CheckpointError

_MODELS = ("gpt2", "llama")


class Kind(IntEnum):
    """What a token is, as `tokenizer.ggml.token_type` has it."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


def tokenizer_of(header: Header, n_rows: int) -> Tokenizer | None:
    """A tokenizer of the `tokenizers` library; None where the file has none.

    Args:
        header: The file.
        n_rows: Rows of the embedding, which the vocabulary cannot exceed.

    Raises:
        CheckpointError: It is of a kind that is not known here, or its parts do not fit together.
    """
    facts = Facts(header, "tokenizer.ggml")
    if not facts.has("model"):
        return None
    model, tokens = facts.text("model", ""), facts.texts("tokens")
    _check_size(header, tokens, n_rows)
    if model not in _MODELS:
        facts.refuse("model", f"“{model}”", f"known here: {', '.join(_MODELS)}")
    kinds = _kinds(facts, len(tokens))
    try:
        return _bytes(facts, tokens, kinds) if model == "gpt2" else _sentencepieces(facts, tokens, kinds)
    except CheckpointError:
        raise
    except Exception as error:  # the library raises nothing narrower
        raise CheckpointError(f"{header.path}: its tokenizer cannot be built: {error}.") from error


def _check_size(header: Header, tokens: Sequence[str], n_rows: int) -> None:
    if not tokens:
        raise CheckpointError(f"{header.path} has a vocabulary of 0 tokens.")
    if len(tokens) > n_rows:
        raise CheckpointError(
            f"{header.path} has {len(tokens):,} tokens, and the model's embedding has {n_rows:,} rows."
        )


def _kinds(facts: Facts, n_tokens: int) -> list[int]:
    return facts.numbers("token_type", n_tokens) if facts.has("token_type") else [Kind.NORMAL] * n_tokens


def _bytes(facts: Facts, tokens: list[str], kinds: list[int]) -> Tokenizer:
    pre = facts.text("pre", "default")
    if pre not in CUTTINGS:
        facts.refuse("pre", f"“{pre}”", f"known here: {', '.join(CUTTINGS)}")
    merges = [_merge(facts, merge) for merge in facts.texts("merges")]
    raw = byte_level(_vocabulary(tokens), merges, CUTTINGS[pre])
    _finish(raw, facts, tokens, kinds, begins=CUTTINGS[pre].begins)
    return raw


def _merge(facts: Facts, merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    if not left or not right or " " in right:
        facts.refuse("merges", f"“{merge}”", "a merge is two pieces with a space between them")
    return left, right


def _sentencepieces(facts: Facts, tokens: list[str], kinds: list[int]) -> Tokenizer:
    """Runs of spaces that a user defined are stored as spaces; every other piece has ▁ for them."""
    tokens = [UNDERLINE * len(token) if not token.strip(" ") else token for token in tokens]
    unknown = facts.index("unknown_token_id", len(tokens))
    raw = Tokenizer(
        models.BPE(
            _vocabulary(tokens),
            list(_merges(facts, tokens, kinds)),
            unk_token=None if unknown is None else tokens[unknown],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    prefixed = facts.flag("add_space_prefix", True)
    spaces = normalizers.Replace(" ", UNDERLINE)
    raw.normalizer = normalizers.Sequence([normalizers.Prepend(UNDERLINE), spaces]) if prefixed else spaces
    last = [decoders.Strip(" ", 1, 0)] if prefixed else []
    raw.decoder = decoders.Sequence(
        [decoders.Replace(UNDERLINE, " "), decoders.ByteFallback(), decoders.Fuse(), *last]
    )
    _finish(raw, facts, tokens, kinds, begins=True)
    return raw


def _merges(facts: Facts, tokens: list[str], kinds: list[int]) -> Iterator[tuple[str, str]]:
    """The merges that a sentencepiece vocabulary implies, best first: each way to make a piece of two.

    What a user defined comes before all else, as sentencepiece takes it out of a text first; its scores say
    nothing (they are −1,000). The rest goes by score.
    """
    made = [id for id, kind in enumerate(kinds) if kind in (Kind.NORMAL, Kind.USER_DEFINED)]
    scores = facts.numbers("scores", len(tokens))
    made.sort(key=lambda id: (kinds[id] != Kind.USER_DEFINED, -scores[id]))
    ids = {tokens[id]: id for id in made}
    lengths = sorted({len(token) for token in ids})
    for id in made:
        for left, right in _halves(tokens[id], ids, lengths):
            yield tokens[left], tokens[right]


def _halves(token: str, ids: dict[str, int], lengths: list[int]) -> Iterator[tuple[int, int]]:
    """The ways to make a piece of two others, by their ids."""
    for length in lengths:
        if length >= len(token):
            return
        left = ids.get(token[:length])
        right = None if left is None else ids.get(token[length:])
        if left is not None and right is not None:
            yield left, right


def _finish(raw: Tokenizer, facts: Facts, tokens: list[str], kinds: list[int], *, begins: bool) -> None:
    """Add the tokens that stay whole, and what is put before and after a text."""
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == Kind.CONTROL and token]
    # runs of spaces are merged, not found: in the text they are spaces still
    user = [token for token, kind in zip(tokens, kinds, strict=True) if kind == Kind.USER_DEFINED]
    plain = [token for token in user if token.strip(UNDERLINE)]
    add_tokens(raw, special, plain)
    begin = _end(facts, tokens, "bos") if facts.flag("add_bos_token", begins) else None
    end = _end(facts, tokens, "eos") if facts.flag("add_eos_token", False) else None
    add_ends(raw, begin, end)


def _end(facts: Facts, tokens: list[str], which: str) -> tuple[str, int] | None:
    id = facts.index(f"{which}_token_id", len(tokens))
    return None if id is None else (tokens[id], id)


def _vocabulary(tokens: list[str]) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens)}
