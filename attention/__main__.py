"""What can be done from a terminal: `python -m attention models`, `… fetch minilm`, `… terms gemma3`."""

import argparse
import shutil
import sys

from attention.checkpoints.catalog import CATALOG, CatalogModel
from attention.checkpoints.fetch import Progress, cached, fetch, fetch_terms
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
        elif chosen.command == "terms":
            _show_terms(chosen.name)
        else:
            _fetch(chosen.name, chosen.accept_terms)
    except AttentionError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
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
    fetching.add_argument("--accept-terms", action="store_true", help="accept the terms it comes under")
    reading = commands.add_parser("terms", help="fetch the terms that a model comes under, to read them")
    reading.add_argument("name", help=f"one of {', '.join(CATALOG)}")
    return parser


def _list_models() -> None:
    for model in CATALOG.values():
        size = readable(model.n_bytes) if model.files else ""
        print(f"{model.name:<16}{_state(model):<10}{size:>8}  {model.licence:<20}{model.good_for}")


def _state(model: CatalogModel) -> str:
    if not model.files:
        return "built in"
    return "here" if cached(model.name) else "not here"


def _show_terms(name: str) -> None:
    path = fetch_terms(name)
    print(f"{name} comes under no terms but its licence." if path is None else f"Its terms are in {path}")


def _fetch(name: str, accept_terms: bool) -> None:
    bar = _Bar()
    try:
        folder = fetch(
            name, accept_terms=accept_terms, progress=bar.draw if sys.stderr.isatty() else _lines()
        )
    finally:
        bar.close()
    print(f"{name} is in {folder}")


class _Bar:
    """One line of a terminal that is drawn again and again; what does not fit is cut at the right."""

    drawn = False

    def draw(self, what: str, done: int, total: int) -> None:
        """Show how far it is."""
        filled = _BAR_WIDTH * done // max(1, total)
        bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
        width = shutil.get_terminal_size().columns - 1
        line = f"{bar} {readable(done)} of {readable(total)}  {what}"
        print("\r" + line[:width].ljust(width), end="", flush=True, file=sys.stderr)
        self.drawn = True

    def close(self) -> None:
        """Leave the line, if there is one."""
        if self.drawn:
            print(file=sys.stderr)


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
