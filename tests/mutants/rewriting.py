"""How a mistake is seeded in the text of a function: whoever imported it, by whatever name, makes it."""

import __future__

import inspect
from functools import cached_property
from textwrap import dedent


def rewritten(of, was, becomes):
    """A function that reads otherwise in one place, as what takes pytest's monkeypatch.

    Args:
        of: The function, or the property of a class.
        was: What stands there, once.
        becomes: What is put in its place.
    """
    function = of.func if isinstance(of, cached_property) else of
    source = dedent(inspect.getsource(function))
    assert source.count(was) == 1, f"{function.__name__} has {was!r} {source.count(was)} times"
    text = source[source.index("def ") :].replace(was, becomes)
    scope = {}
    code = compile(text, inspect.getfile(function), "exec", flags=__future__.annotations.compiler_flag)
    exec(code, dict(function.__globals__), scope)
    return lambda patch: patch.setattr(function, "__code__", scope[function.__name__].__code__)
