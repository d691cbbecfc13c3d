"""What is kept of a model goes when its files are others, wherever it is kept."""

import json
import os

from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention.analysis.across import received_per_query
from attention.analysis.head_sums import head_sums
from attention.analysis.journey import journey
from attention.analysis.measured import measured
from attention.analysis.measures import BY_KEY
from attention.ui import cache
from attention.ui.asked import Asked
from attention.ui.block.way import way
from attention.ui.heads.found import Source, heads_measured
from attention.ui.stores import Store, forget
from tests.toys import toy

WORDS = ("[UNK]", "I", "learn", "slowly")
ASKED = Asked(model="small", text="I learn slowly")
DISTANCE = BY_KEY["distance"]


def put(root, seed):
    """The model's folder, with other parameters for another seed."""
    model = toy(seed, mask="causal", d_vocab=len(WORDS), positions=False)
    folder = root / "small"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
    os.utime(folder / "model.safetensors", (seed, seed))
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def kept():
    """Numbers as pages have them, and the run they should be of."""
    cache.model("small")
    run = cache.run(ASKED)
    one = run.attention(1).head(2)
    sums = cache.head_sums((ASKED, "self", 1, 2), lambda: head_sums(one, [], 3))
    step = way(ASKED, "self", run, 1).steps[0]
    distance = heads_measured(Source(ASKED, "self", False)).value(DISTANCE, 1, 2)
    return run, (sums.received, step.written, distance)


def fresh(run):
    one = run.attention(1).head(2)
    received = received_per_query(one.weights[0].double(), one.mask)
    return received, journey(run).of(1)[0].written, measured(run).value(DISTANCE, 1, 2)


def test_numbers_of_a_model_whose_files_changed_are_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    put(tmp_path, 5)
    run, before = kept()
    assert before == fresh(run)
    put(tmp_path, 9)
    run, after = kept()
    assert after == fresh(run)
    assert all(now != then for now, then in zip(after, before, strict=True))


def test_only_what_that_model_made_is_forgotten():
    store = Store[tuple[str, int], str](9, lambda _: 1, model=lambda key: key[0])
    unknown = Store[str, str](9, lambda _: 1)
    for key in (("one", 1), ("one", 2), ("two", 1)):
        store.keep(key, "made")
    unknown.keep("one", "made")
    forget("one")
    assert store.held() == (("two", 1),)
    assert unknown.held() == ("one",)
