import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from attention.figures.labels import (
    columns,
    isolated,
    markdown_label,
    numbered,
    plain_label,
    safe_label,
    visible,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


def shown(label: str) -> str:
    """What Plotly draws: tags obeyed (so gone), references resolved."""
    return html.unescape(re.sub("<[^<>]*>", "", label))


@pytest.mark.parametrize(
    "token",
    [
        "<script>",
        "</script>",
        "<b>",
        "&amp;",
        "$x$",
        "**b**",
        "_it_",
        "`c`",
        "[a](b)",
        "~~s~~",
        "##rry",
        "\\",
        "%{x}",
    ],
)
def test_markup_is_shown_as_itself(token):
    label = safe_label(token)
    assert shown(label) == token
    assert not set(label) & set("<>$*_`[]~\\%{}")


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("\n", "↵"),
        ("\t", "⇥"),
        ("a\r\nb", "a␍↵b"),
        ("\x00", "␀"),
        ("\x7f", "␡"),
        ("\x85", "⟨0085⟩"),
        ("", "∅"),
        (" ", "␣"),
        ("   ", "␣␣␣"),
        (" the", "␣the"),
        ("two  spaces", "two␣␣spaces"),
        ("New York", "New York"),
        ("\u00a0", "⟨00A0⟩"),
        ("\u200b", "⟨200B⟩"),
        ("\u200d", "⟨200D⟩"),
        ("\u202eabc", "⟨202E⟩abc"),
        ("\u2028", "↵"),
        ("\ud83d", "\ufffd"),
        ("a\udc00b", "a\ufffdb"),
        ("\u0301", "◌\u0301"),
        ("\ufe0f", "◌\ufe0f"),
        ("\u3164", "⟨3164⟩"),
        ("x" * 30, "x" * 23 + "…"),
        ("x" * 24, "x" * 24),
    ],
)
def test_what_cannot_be_seen_is_made_visible(token, label):
    assert plain_label(token) == label


@pytest.mark.parametrize("token", ["👩\u200d💻", "می\u200cخواهم", "❤\ufe0f", "é", "ẞ", "日本"])
def test_joiners_at_work_are_kept(token):
    assert plain_label(token) == token


def test_a_cut_leaves_no_joiner_behind():
    assert plain_label("👩\u200d💻👩\u200d💻x", limit=6) == "👩\u200d💻👩…"


def test_right_to_left_is_isolated_and_nothing_else_is():
    assert safe_label("שלום") == isolated("שלום") == "\u2068שלום\u2069"
    assert safe_label("مرحبا").startswith("\u2068")
    assert safe_label("loan") == "loan"
    assert plain_label("שלום") == "שלום"


REPLACED = [
    *(":smile:", ":material/home:", ":100:", "->", "<-", "--", ">=", "<=", "~=", "<->"),
    *("https://e.io", "www.e.io", "a@b.io", "a`:100:`", "`->", "window:100:0"),
]


@pytest.mark.parametrize("token", REPLACED)
def test_what_streamlit_would_replace_is_code_in_markdown(token):
    page = MarkdownIt("gfm-like", {"linkify": False}).render(
        markdown_label(f"The mask {token}, “{token}”.", 99)
    )
    codes = re.findall("<code>(.*?)</code>", page)
    assert [html.unescape(code) for code in codes] == [token, token]


@pytest.mark.parametrize("token", REPLACED)
def test_a_label_is_copied_without_a_sign_that_cannot_be_seen(token):
    for label in (safe_label(token), markdown_label(token)):
        assert not {c for c in html.unescape(label) if unicodedata.category(c) == "Cf"}


@given(ANY_TEXT)
def test_labels_are_visible_short_and_can_be_encoded(token):
    label = plain_label(token)
    assert 1 <= len(label) <= 24
    label.encode("utf-8")
    hidden = {"Cc", "Cs", "Zl", "Zp"}
    assert not any(unicodedata.category(c) in hidden for c in label)


@given(ANY_TEXT)
def test_plotly_shows_the_plain_label(token):
    assert shown(safe_label(token)).strip("\u2068\u2069") == plain_label(token)


@given(ANY_TEXT)
def test_markdown_shows_the_plain_label(token):
    page = MarkdownIt("gfm-like", {"linkify": False}).render(markdown_label(token))
    assert re.fullmatch(r"<p>.*</p>\n", page, re.DOTALL), "one paragraph and no other structure"
    inside = page.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in re.sub("</?code>", "", inside)
    assert html.unescape(re.sub("</?code>", "", inside)).strip("\u2068\u2069") == plain_label(token)


def test_numbered_marks_only_words_that_return():
    assert numbered(["the", "dog", "the", "cat"]) == ("the⁰", "dog", "the²", "cat")
    assert numbered(["the", "cat", "the"], positions=[1, 2, 14]) == ("the¹", "cat", "the¹⁴")
    assert numbered(["\n", "↵"]) == ("↵⁰", "↵¹"), "two tokens that look alike are told apart too"
    assert numbered([]) == ()


@given(st.lists(st.text("ab\n<", max_size=3), max_size=12))
def test_numbered_labels_are_all_different(tokens):
    labels = numbered(tokens)
    assert len(set(labels)) == len(tokens)


def test_columns_counts_wide_characters_twice():
    assert columns("e\u0301a") == 2
    assert columns("日本x") == 5
    assert columns("🙂") == 2


def test_visible_keeps_ordinary_spaces():
    assert visible("The bank\napproved") == "The bank↵approved"
