"""Folders that hold something else than they should."""

import json

import pytest
from safetensors.torch import save

from attention.checkpoints.folder import open_folder
from attention.errors import CheckpointError
from tests.checkpoints.fakes import TENSORS

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 90868376\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "holds no config.json"),
        (b"", "config.json is an empty file"),
        (b"{", "config.json is not JSON: Expecting"),
        (b"\xff\xfe", "config.json is not JSON"),
        (b"[" * 100_000, "config.json is not JSON"),
        (b"[1]", "config.json should hold a JSON object and holds a list"),
        (LFS, "config.json is a Git LFS pointer"),
        (b"\n<!DOCTYPE html><title>Sign in</title>", "config.json is a web page"),
    ],
)
def test_a_bad_config(folder, content, sentence):
    path = folder / "config.json"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(CheckpointError, match=sentence):
        open_folder(folder)


WHOLE = save(TENSORS)


def laid_out(first, second, n_bytes):
    """Two tensors of two numbers each, wherever their offsets say."""
    places = {"t0": first, "t1": second}
    said = {name: {"dtype": "F32", "shape": [2], "data_offsets": at} for name, at in places.items()}
    header = json.dumps(said).encode()
    return len(header).to_bytes(8, "little") + header + bytes(n_bytes)


HALF_A_NAME = b"\x0c\0\0\0\0\0\0\0" + rb'{"\ud83d":1}'
HEADER_END = 8 + int.from_bytes(WHOLE[:8], "little")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (WHOLE[:-1], f"is cut short: it has {len(WHOLE) - 1} bytes, its header speaks of {len(WHOLE)}[.]"),
        (WHOLE[:40], f"is cut short: it has 40 bytes, its header speaks of {HEADER_END}[.]"),
        (WHOLE + b"\0\0", f"is too long: it has {len(WHOLE) + 2} bytes, its header speaks of {len(WHOLE)}"),
        (WHOLE[:5], "model.safetensors is no safetensors file"),
        (b"", "model.safetensors is an empty file"),
        (LFS, "model.safetensors is a Git LFS pointer and not the file itself, which `git lfs pull` brings"),
        (b"<html>not found</html>", "model.safetensors is a web page"),
        (b"PK\x03\x04 a torch file", "model.safetensors is a zip archive, as PyTorch's pickles are"),
        (b"\x80\x02}q\x00. an old torch file", "model.safetensors is a pickle"),
        (b"GGUF\x03\0\0\0 and more", "model.safetensors is a GGUF file"),
        (b"\x02\0\0\0\0\0\0\0{x", "its header of 2 bytes cannot be read"),
        (HALF_A_NAME, "its header of 12 bytes cannot be read"),
        (b"\x07\0\0\0\0\0\0\0" + b'{"a":1}', "tensor a: its shape is None and its data_offsets None"),
        (WHOLE.replace(b'"F16"', b'"F61"'), "tensor b: it is stored as F61; known here: BF16, BOOL,"),
        (WHOLE.replace(b"[2,3]", b"[2,4]"), r"tensor a: \[2, 4\] of F32 takes 32 bytes, and it has 24"),
        (WHOLE.replace(b"[2,3]", b"[2,-"), "its header of .* bytes cannot be read"),
        (WHOLE.replace(b"[24,34]", b"[14,24]"), "is too long: it has"),
        (laid_out((0, 8), (4, 12), 12), r"tensors t0 and t1 overlap .the first ends at byte 8, .* at 4."),
        (laid_out((0, 8), (12, 20), 20), r"tensors t0 and t1 leave a gap between them .*byte 8, .* 12."),
        (WHOLE.replace(b'"b":{', b'"a":{'), "its header of .* bytes cannot be read"),
        (b"\xff\xff\xff\xff\xff\xff\xff\x7f{}", "is cut short: it has 10 bytes"),
    ],
)  # fmt: skip
def test_bad_tensors(folder, content, sentence):
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match=sentence):
        open_folder(folder)


def test_a_folder_without_tensors(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"small holds no \*\.safetensors[.]"):
        open_folder(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pth"])
def test_pickles_are_refused_and_not_opened(folder, name):
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(b"never read")
    with pytest.raises(CheckpointError) as caught:
        open_folder(folder)
    assert str(caught.value) == (
        f"{folder} holds {name} and no *.safetensors: such files are pickles, which can run code when "
        "opened, so they are not read here. If you trust the file, convert it with transformers: "
        f"AutoModel.from_pretrained({str(folder)!r}).save_pretrained(another_folder)."
    )


def test_a_tokenizer_that_is_none(folder):
    (folder / "tokenizer.json").write_bytes(LFS)
    with pytest.raises(CheckpointError, match=r"tokenizer.json is a Git LFS pointer"):
        open_folder(folder)
