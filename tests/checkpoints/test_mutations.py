"""Damaged GGUF, safetensors and sentencepiece files, 5,000 of them, each opened without torch."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type
from safetensors.numpy import save_file

from tests.checkpoints import mutation_worker
from tests.checkpoints.corpus import CORPUS, sentencepieces
from tests.checkpoints.gguf_files import add_tensor, add_vocabulary, finish, writer

ROOT = Path(__file__).parents[2]
N_VOCAB = 100


def sizes(made, **more):
    facts = {
        "block_count": 1,
        "context_length": 40,
        "embedding_length": 64,
        "feed_forward_length": 32,
        "attention.head_count": 4,
    }
    for key, value in (facts | more).items():
        made.add_uint32(f"{made.arch}.{key}", value)
    made.add_float32(f"{made.arch}.attention.layer_norm_{'' if made.arch == 'gpt2' else 'rms_'}epsilon", 1e-5)


def tensors(made, names, kind=Type.F32):
    numbers = np.random.default_rng(1)
    add_tensor(made, "token_embd.weight", numbers.normal(size=(N_VOCAB, 64)), kind)
    for name in names:
        shape = (32, 64) if name.endswith("weight") and "norm" not in name else (64,)
        add_tensor(made, name, numbers.normal(size=shape), kind)


def llama(path):
    """Quantised, with a byte-level tokenizer."""
    made = writer(path, "llama")
    sizes(made, **{"attention.head_count_kv": 2})
    add_vocabulary(made, N_VOCAB)
    tensors(made, ["blk.0.attn_q.weight", "blk.0.attn_k.weight", "output_norm.weight"], Type.Q4_1)
    finish(made)


def gemma(path):
    """Windows, and a tokenizer of sentencepieces."""
    made = writer(path, "gemma3")
    sizes(made, **{"attention.sliding_window": 7})
    pieces = [
        "<pad>",
        "<eos>",
        "<bos>",
        "<unk>",
        "▁",
        "th",
        "▁th",
        "the",
        "▁the",
        *map(chr, range(97, 123)),
        "\n",
    ]
    pieces += [f"<0x{byte:02X}>" for byte in range(N_VOCAB - len(pieces))]
    made.add_tokenizer_model("llama")
    made.add_token_list(pieces)
    made.add_token_scores([-float(id) for id in range(N_VOCAB)])
    kinds = (
        [gguf.TokenType.CONTROL] * 4 + [gguf.TokenType.NORMAL] * 32 + [gguf.TokenType.BYTE] * (N_VOCAB - 36)
    )
    made.add_token_types(kinds)
    made.add_unk_token_id(3)
    made.add_bos_token_id(2)
    tensors(made, ["blk.0.attn_q_norm.weight", "blk.0.ffn_norm.weight", "blk.0.attn_q.weight"], Type.Q8_0)
    finish(made)


def gpt2(path):
    """Turned matrices, in half precision, and no tokenizer."""
    made = writer(path, "gpt2")
    sizes(made)
    tensors(made, ["blk.0.attn_qkv.weight", "blk.0.attn_qkv.bias", "position_embd.weight"], Type.F16)
    finish(made)


def safetensors(path):
    numbers = np.random.default_rng(2)
    save_file(
        {
            "embeddings.weight": numbers.normal(size=(13, 7)).astype(np.float32),
            "half": numbers.normal(size=(3, 2, 5)).astype(np.float16),
            "position_ids": np.arange(11)[None],
            "one": np.array(1.5),
            "none": np.zeros((0, 4), np.float32),
        },
        path,
        metadata={"format": "pt"},
    )


def spiece(path):
    sentencepieces(path, CORPUS, 90, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


CASES = {
    "llama.gguf": llama,
    "gemma.gguf": gemma,
    "gpt2.gguf": gpt2,
    "model.safetensors": safetensors,
    "spiece.model": spiece,
}
N_EACH = 1000


def work(whole, scratch, first, last):
    """One process; on a crash, a hang or a surprise it says which copy it was."""
    alone = dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MALLOC_ARENA_MAX"), "1")
    done = subprocess.run(
        [sys.executable, "-m", mutation_worker.__name__, *map(str, (whole, scratch, first, last))],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=600,
        env=os.environ | alone | {"TOKENIZERS_PARALLELISM": "false"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_file_is_refused_or_right(tmp_path, name):
    CASES[name](tmp_path / name)
    halves = [(0, N_EACH // 2), (N_EACH // 2, N_EACH)]
    with ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(work, tmp_path / name, tmp_path / f"copy-{first}{Path(name).suffix}", first, last)
            for first, last in halves
        ]
        ends = [run.result() for run in runs]
    right, refused = (sum(end[how] for end in ends) for how in ("right", "refused"))
    assert right + refused == N_EACH
    assert refused > N_EACH // 4
    assert right > N_EACH // 20


def test_the_watchdog_ends_what_hangs(tmp_path):
    gpt2(tmp_path / "model.gguf")
    code = (
        "import time\nfrom tests.checkpoints import mutation_worker as worker\n"
        "worker.SECONDS = 0.3\n"
        f"whole = {str(tmp_path / 'model.gguf')!r}\nfrom pathlib import Path\n"
        "worker.OPENERS['.gguf'] = lambda path: path.name == 'copy.gguf' and time.sleep(60)\n"
        "worker.main(Path(whole), Path(whole).with_name('copy.gguf'), 0, 1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert "Timeout" in done.stderr


def test_the_limit_ends_what_takes_too_much(tmp_path):
    gpt2(tmp_path / "model.gguf")
    code = (
        "from pathlib import Path\nfrom tests.checkpoints import mutation_worker as worker\n"
        "too_much = worker.ROOM + (16 << 20)\n"
        "worker.OPENERS['.gguf'] = lambda path: path.name == 'copy.gguf' and bytearray(too_much)\n"
        f"whole = Path({str(tmp_path / 'model.gguf')!r})\n"
        "worker.main(whole, whole.with_name('copy.gguf'), 0, 1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert "MemoryError" in done.stderr
    assert "copy 0" in done.stderr


def test_copies_are_all_different():
    whole = bytes(range(256)) * 20
    assert len({mutation_worker.damaged(whole, number) for number in range(500)}) > 480
