"""Who may import whom, and a few more habits that a machine can hold."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("attention/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])
PACKAGE = [path for path in SOURCES if path.is_relative_to(ROOT / "attention")]
CODE = sorted(path for path in ROOT.glob("attention/**/*") if path.suffix in {".py", ".js", ".css"})

# Each part of the code and the parts it may import. `errors` is open to all; `face` is `attention` itself.
MAY_IMPORT = {
    "engine": "engine",
    "families": "engine families",
    "checkpoints": "checkpoints",
    "model": "engine families checkpoints model",
    "analysis": "engine model analysis",
    "figures": "figures",
    "export": "model figures export",
    "ui": "engine checkpoints model analysis figures export ui",
    "pages": "face model analysis figures export ui",
    "face": "engine model export",
    "__main__": "face engine checkpoints model export",
    "app": "ui",
    "errors": "",
}
# Files beside model.py that are parts of it.
BESIDE = dict.fromkeys(("run", "sites", "inputs", "writing", "translation"), "model")
# Each package from outside and the parts that may import it. One that is not here is for the tests alone.
IMPORTED_BY = {
    "torch": "engine families checkpoints model analysis ui",
    "jaxtyping": "engine families checkpoints model analysis figures export ui",
    "numpy": "families checkpoints model analysis figures export ui pages",
    "pandas": "export ui pages",
    "plotly": "figures export",
    "matplotlib": "export",
    "PIL": "export",
    "fontTools": "export",
    "cachetools": "ui",
    "streamlit": "ui pages app",
    "starlette": "ui app",
    "tokenizers": "checkpoints",
    "sentencepiece": "checkpoints",
    "gguf": "checkpoints",
    "safetensors": "checkpoints",
    "huggingface_hub": "checkpoints",
    "filelock": "checkpoints",
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def imports(source: str, module: str) -> Iterator[str]:
    """Every name that a module imports, wherever in the file and in full: `from a import b` is `a.b`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            origin = resolve_name(origin, module.rpartition(".")[0]) if node.level else origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def part_of(name: str) -> str:
    """The part of the code that a dotted name of ours belongs to."""
    top, *rest = name.split(".")
    if top != "attention":
        return top
    part = BESIDE.get(rest[0], rest[0]) if rest else "face"
    return part if part in MAY_IMPORT else "face"


def forbidden(source: str, module: str) -> list[str]:
    """The imports of a module that the two tables above do not allow."""
    part = part_of(module)
    return [name for name in imports(source, module) if not allowed(name, part)]


def allowed(name: str, part: str) -> bool:
    top = name.split(".")[0]
    if top == "attention":
        return part_of(name) in MAY_IMPORT[part].split() or part_of(name) == "errors"
    return top in sys.stdlib_module_names or part in IMPORTED_BY.get(top, "").split()


def swallowing_handlers(source: str) -> list[int]:
    """The lines of handlers that catch everything, raise nothing and give no reason in a comment beside."""
    lines = source.splitlines()
    handlers = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler))
    return [
        handler.lineno
        for handler in handlers
        if handler.type is None or re.search(r"\b(Base)?Exception\b", ast.unparse(handler.type))
        if not isinstance(handler.body[-1], ast.Raise) and "  # " not in lines[handler.lineno - 1]
    ]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_only_what_its_part_may(path):
    assert not forbidden(path.read_text("utf-8"), name_of(path))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("attention.engine.steps", "import numpy"),
        ("attention.engine.steps", "def f():\n    from attention.checkpoints import tokens"),
        ("attention.engine.steps", "from attention import model"),
        ("attention.engine.steps", "from ..figures import theme"),
        ("attention.checkpoints.folder", "from attention.engine import masks"),
        ("attention.analysis.heads", "from attention.families import bert"),
        ("attention.figures.heatmap", "import torch"),
        ("attention.figures.heatmap", "import streamlit as st"),
        ("attention.figures.heatmap", "from matplotlib.figure import Figure"),
        ("attention.export.png", "from attention.ui import words"),
        ("attention.ui.main", "import plotly.graph_objects as go"),
        ("attention.ui.main", "import transformers"),
        ("attention.__init__", "from attention.figures import theme"),
        ("pages.explore", "from attention.engine import steps"),
        ("pages.explore", "import torch"),
    ],
)
def test_the_check_sees_a_forbidden_import(module, source):
    assert forbidden(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("attention.engine.steps", "import math, torch\nfrom attention.errors import InputError"),
        ("attention.engine.steps", "from . import masks\nfrom .masks import Own"),
        ("attention.analysis.heads", "from attention.run import Run"),
        ("attention.export.png", "import PIL.Image"),
        ("pages.explore", "import attention\nfrom attention import Settings, masks\nimport streamlit"),
        ("app", "from attention.ui.headers import SecurityHeaders"),
    ],
)
def test_the_check_lets_the_others_pass(module, source):
    assert not forbidden(source, module)


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_no_assert_no_broad_except_no_idle_names(path):
    source = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    functions = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert not any(isinstance(node, ast.Assert) for node in nodes)
    assert not swallowing_handlers(source)
    assert not [name for name in functions if name.startswith(("get_", "compute_"))]
    assert path.stem not in {"utils", "helpers", "manager", "misc", "common"}


@pytest.mark.parametrize("path", sorted(ROOT.glob("attention/engine/*.py")), ids=name_of)
def test_no_family_is_named_where_the_maths_is(path):
    names = r"bert|gpt|neox|llama|mistral|qwen|gemma|\bt5\b|marian"
    assert not re.findall(names, path.read_text("utf-8"), re.IGNORECASE)


def test_the_check_sees_a_broad_except():
    swallowed = "try:\n    f()\nexcept {}:\n    pass"
    assert swallowing_handlers(swallowed.format("(ValueError, Exception)")) == [3]
    assert swallowing_handlers(swallowed.format("BaseException")) == [3]
    assert swallowing_handlers(swallowed.replace(" {}", "")) == [3]
    assert not swallowing_handlers(swallowed.format("AttentionError"))
    assert not swallowing_handlers("try:\n    f()\nexcept BaseException:\n    tidy()\n    raise")


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_asking_to_be_split(path):
    assert len(path.read_text("utf-8").splitlines()) <= 250


@pytest.mark.parametrize("path", [path for path in SOURCES if path not in PACKAGE], ids=name_of)
def test_no_page_is_asking_to_be_split(path):
    assert len(path.read_text("utf-8").splitlines()) <= (30 if path.stem == "app" else 80)


def test_nothing_is_left_for_later():
    files = [*CODE, *SOURCES, *ROOT.glob("tests/**/*.py"), *ROOT.glob("*.md")]
    later = re.compile("TO" + "DO|FIX" + "ME|X" + "XX")
    assert not [path for path in files if later.search(path.read_text("utf-8"))]
