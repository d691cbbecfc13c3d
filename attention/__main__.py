"""What can be done from a terminal: `python -m attention models`, `python -m attention fetch minilm`."""

import argparse
import sys

from attention.checkpoints.catalog import CATALOG, CatalogModel
from attention.checkpoints.fetch import Progress, cached, fetch
from attention.checkpoints.sizes import readable
from attention.errors import AttentionError

_BAR_WIDTH = 30
_LINE_EVERY = 0.25


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 1 when it failed, with one sentence on stderr."""
    chosen = _parser().parse_args(arguments)
    try:
        if chosen.command == "models":
            _list_models()
        else:
            _fetch(chosen.name)
    except AttentionError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attention", description="Every step of transformer attention."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("models", help="list the models of the catalog")
    fetching = commands.add_parser("fetch", help="download a model of the catalog and check it")
    fetching.add_argument("name", help=f"one of {', '.join(CATALOG)}")
    return parser


def _list_models() -> None:
    for model in CATALOG.values():
        size = readable(model.n_bytes) if model.files else "–"
        print(f"{model.name:<16}{_state(model):<10}{size:>8}  {model.licence:<14}{model.good_for}")


def _state(model: CatalogModel) -> str:
    if not model.files:
        return "built in"
    return "here" if cached(model.name) else "not here"


def _fetch(name: str) -> None:
    folder = fetch(name, progress=_bar() if sys.stderr.isatty() else _lines())
    print(f"{name} is in {folder}")


def _bar() -> Progress:
    """One line that is drawn again and again, on a terminal."""
    last = ""

    def draw(what: str, done: int, total: int) -> None:
        nonlocal last
        start = "\n" if last not in ("", what) else "\r"
        filled = _BAR_WIDTH * done // max(1, total)
        bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
        end = "\n" if what.startswith("Checking model") and done == total else ""
        print(f"{start}{what:<40} {bar} {readable(done)} of {readable(total)}  ", end=end, file=sys.stderr)
        last = what

    return draw


def _lines() -> Progress:
    """A line when something new begins and at every quarter of it, where there is no terminal."""
    told: tuple[str, int] = ("", 0)

    def tell(what: str, done: int, total: int) -> None:
        nonlocal told
        now = (what, int(done / max(1, total) / _LINE_EVERY))
        if now != told:
            print(f"{what}: {readable(done)} of {readable(total)}", file=sys.stderr, flush=True)
        told = now

    return tell


if __name__ == "__main__":
    sys.exit(main())
