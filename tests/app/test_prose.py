"""A page about one idea is an experiment with few words: at most 120 of prose.

Prose is what a page says in sentences of its own: formulas and paragraphs, notes, and captions of no picture.
Captions of pictures and tables, labels of controls, cells, and what must be opened first are not.
"""

import re
from html import unescape

import pytest

from tests.app.screen import opened

MOST = 120
CLOSED = {"expandable", "popover"}
SAID = re.compile(r'<div class="(?:note|cap)(?: wide)?"[^>]*>(.*?)</div>', re.DOTALL)
LABEL = re.compile(r"Try\b.{0,8}")


def prose(block):
    """The paragraphs under a block of the page, from the top."""
    found, before = [], None
    for child in block.children.values():
        if hasattr(child, "children"):
            if not is_aside(child):
                found += prose(child)
        elif child.type == "markdown":
            found.append(child.value)
        elif child.type == "html":
            texts = [text for text in SAID.findall(child.proto.body) if not is_caption(child, before)]
            found += [text for text in map(plain, texts) if not LABEL.fullmatch(text)]
        before = child
    return found


def is_aside(block):
    """Whether a block is a picture with its words, or closed at first."""
    return block.type in CLOSED or "-shown-" in getattr(block.proto, "id", "")


def is_caption(element, before):
    """Whether an element stands under a picture that the page draws itself, or under its own table."""
    drawn = "<table" in element.proto.body or (before is not None and before.type == "bidi_component")
    return drawn and 'class="note"' not in element.proto.body


def plain(text):
    return unescape(re.sub(r"<[^>]+>", "", text)).strip()


def n_words(text):
    """Words as a reader counts them; a formula is one."""
    return len(re.findall(r"\S*\w\S*", re.sub(r"\$.*?\$", "formula", text)))


@pytest.mark.parametrize("page", ["scaling", "masks", "positions", "block", "context", "cost"])
def test_a_page_at_its_start_has_at_most_120_words_of_prose(page):
    app = opened(f"../../pages/{page}.py")
    paragraphs = prose(app.main)
    assert paragraphs
    said = "\n".join(f"{n_words(text):4} {text}" for text in paragraphs)
    assert sum(map(n_words, paragraphs)) <= MOST, said
