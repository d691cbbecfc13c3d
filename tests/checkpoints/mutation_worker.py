"""Run as a program by `test_mutations.py`: opens damaged copies of a file, one after another, without torch.

Each has to end in a CheckpointError or in a right result, within five seconds and 200 MB above the file's
size. Anything else ends this program, with the number of the copy, from which `damaged` makes it again.
"""

import faulthandler
import importlib
import json
import random
import resource
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS, ROOM = 5, 200 << 20
ROOT = Path(__file__).parents[2]
INTERESTING = (
    0,
    1,
    2,
    7,
    0xFF,
    0x7FFF,
    1 << 30,
    (1 << 31) - 1,
    1 << 31,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
)


def damaged(whole: bytes, number: int) -> bytes:
    """A copy with one to four mistakes in it, most of them where the file speaks of itself."""
    chance = random.Random(number)
    data = bytearray(whole)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        head = chance.random() < 0.8
        at = chance.randrange(max(1, min(len(data), 4096) if head else len(data)))
        chance.choice(MISTAKES)(data, at, chance)
    return bytes(data)


def flip(data: bytearray, at: int, chance: random.Random) -> None:
    data[at : at + 1] = bytes([(data[at] if at < len(data) else 0) ^ (1 << chance.randrange(8))])


def overwrite(data: bytearray, at: int, chance: random.Random) -> None:
    width = chance.choice((1, 2, 4, 8))
    data[at : at + width] = (chance.choice(INTERESTING) % (1 << 8 * width)).to_bytes(width, "little")


def insert(data: bytearray, at: int, chance: random.Random) -> None:
    data[at:at] = chance.randbytes(chance.randrange(1, 40))


def remove(data: bytearray, at: int, chance: random.Random) -> None:
    del data[at : at + chance.randrange(1, 40)]


def repeat(data: bytearray, at: int, chance: random.Random) -> None:
    data[at:at] = data[at : at + chance.randrange(1, 200)]


def move(data: bytearray, at: int, chance: random.Random) -> None:
    n, to = chance.randrange(1, 64), chance.randrange(max(1, len(data)))
    data[to : to + n] = data[at : at + n]


def cut(data: bytearray, at: int, chance: random.Random) -> None:
    del data[chance.randrange(max(1, len(data))) :]


def digits(data: bytearray, at: int, chance: random.Random) -> None:
    """Another number where the file has one in letters."""
    found = [place for place, byte in enumerate(data[:4096]) if chr(byte).isdigit()]
    if found:
        data[(place := chance.choice(found)) : place + 1] = str(chance.choice(INTERESTING)).encode()


MISTAKES = (flip, overwrite, overwrite, insert, remove, repeat, move, cut, digits)


def without_torch() -> None:
    """Let `attention` be found without running its face, which loads torch."""
    for name in ("attention", "attention.checkpoints"):
        stand_in = types.ModuleType(name)
        stand_in.__path__ = [str(ROOT / name.replace(".", "/"))]
        sys.modules[name] = stand_in


def part(name: str) -> Any:
    return importlib.import_module(f"attention.checkpoints.{name}")


def open_gguf(path: Path) -> None:
    """All that `gguf_file.open_gguf` does before torch; then the same by the stock reader."""
    header = part("gguf_header").read_header(path)
    config = part("gguf_config").config_of(header)
    part("memory").check_memory(str(path), 4 * sum(entry.n_numbers for entry in header.tensors.values()))
    raw = part("gguf_tokenizer").tokenizer_of(header, config["vocab_size"])
    for _ in part("gguf_tensors").tensors_of(header, config):
        pass
    if raw is not None:
        part("tokens").Tokenizer(raw, pad_id=config["pad_token_id"])
    judge_gguf(path, header)


def judge_gguf(path: Path, header: Any) -> None:
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(path)
    for theirs in reader.tensors:
        with np.errstate(all="ignore"):
            expected = gguf.dequantize(theirs.data, theirs.tensor_type)
        ours = part("gguf_values").values(header, header.tensors[theirs.name])
        np.testing.assert_array_equal(ours, expected)
    if len(reader.tensors) != len(header.tensors):
        raise AssertionError("another number of tensors")
    for key, value in header.metadata.items():
        np.testing.assert_array_equal(as_stored(value), as_stored(reader.fields[key].contents()), err_msg=key)


def as_stored(value: Any) -> Any:
    import numpy as np

    return np.float32(value) if isinstance(value, float) else value


def open_safetensors(path: Path) -> None:
    """What a folder's tensors go through; then the same by hand."""
    import numpy as np

    tensors = part("safetensors").read_tensors((path,), framework="np")
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    said = {name: entry for name, entry in json.loads(data[8 : 8 + length]).items() if name != "__metadata__"}
    kinds = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "U8": "<u1", "F64": "<f8", "I32": "<i4", "BOOL": "?"}
    if set(said) != set(tensors):
        raise AssertionError("other tensors than the header has")
    for name, entry in said.items():
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        kind = kinds.get(entry["dtype"], tensors[name].dtype)
        expected = np.frombuffer(data[start:end], kind).reshape(entry["shape"])
        np.testing.assert_array_equal(tensors[name], expected)


def open_sentencepieces(path: Path) -> None:
    """A T5's `spiece.model`, and a text cut with it; then the same by the library alone."""
    import sentencepiece

    sentencepiece.SetMinLogLevel(3)
    text = "The bank approved 12 😀 ש x"
    ours = part("sentencepiece_cutter").t5_cutter(path, 100).cut(text, None, False)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    if [token.text for token in ours] != theirs.encode(text, return_type=str):
        raise AssertionError("other pieces than the library cuts")


OPENERS: dict[str, Callable[[Path], None]] = {
    ".gguf": open_gguf,
    ".safetensors": open_safetensors,
    ".model": open_sentencepieces,
}


def memory(field: str) -> int:
    """What the system says of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))


def main(whole: Path, scratch: Path, first: int, last: int) -> dict[str, int]:
    """Open copies `first` up to `last`, and count how they end."""
    without_torch()
    from attention.errors import CheckpointError

    open_copy, content = OPENERS[whole.suffix], whole.read_bytes()
    open_copy(whole)  # what is loaded only once does not count
    room = ROOM + len(content)
    peak = memory("VmHWM")
    resource.setrlimit(resource.RLIMIT_AS, (memory("VmSize") + room, resource.RLIM_INFINITY))
    ends = {"right": 0, "refused": 0}
    for number in range(first, last):
        scratch.write_bytes(damaged(content, number))
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            open_copy(scratch)
            ends["right"] += 1
        except CheckpointError as error:
            str(error).encode()
            ends["refused"] += 1
        except BaseException:
            print(f"{whole.name}, copy {number}:", file=sys.stderr, flush=True)
            raise
        faulthandler.cancel_dump_traceback_later()
    if "torch" in sys.modules or memory("VmHWM") - peak > room:
        raise AssertionError(f"torch was loaded, or memory grew by {memory('VmHWM') - peak:,} bytes")
    return ends


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))
