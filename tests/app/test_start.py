"""Start here: every link opens its page as prepared, and what the words claim is so."""

from html import unescape
from importlib import import_module
from pathlib import Path
from re import sub
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from attention import load
from attention.ui import url
from attention.ui.navigation import ENTRIES
from attention.ui.start.glossary import GLOSSARY
from attention.ui.start.links import IT
from attention.ui.start.steps import PATH
from attention.ui.view import START
from attention.ui.worked.link import read_link, write_link
from tests.app.screen import MAIN, checked, html, opened

PAGE = "../../pages/start.py"
TERMS = [term for terms in GLOSSARY.values() for term in terms]
LINKS = [link for step in PATH for link in step.links] + [term.link for term in TERMS]
NAMED = pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.page}: {link.label}")
SMOLLM2 = [link for link in LINKS if (link.view or {}).get("model") == "smollm2"]
SEEN = {
    "explore": "sheet",
    "worked_example": "comes back after your guess",
    "scaling": "1,024",
    "masks": "Who may attend to whom?",
    "positions": "How does the model know word order?",
    "block": "Is attention all there is?",
    "context": "Does a word mean the same in another sentence?",
    "cost": "Why is long context expensive?",
}
WANTED = (
    "Attention weight, Score, Query, Key, Value, Head, Layer, Softmax, Scaling, Mask, Causal, Padding, "
    "Residual stream, d_model, d_head, n_kv_heads, GQA, RoPE, Position, Token, Word piece, Special token, "
    "Attention sink, Entropy"
)


def words(markup):
    return unescape(sub("<[^>]+>", "", markup.replace("<sub>", "_")))


@pytest.fixture(scope="module")
def started():
    """The app as a reader has it who has just arrived on the page."""
    return opened(PAGE)


def follow(app, link):
    """The same app after a click on a link."""
    return jump(app, f"../../pages/{link.page}.py", **link.params(START))


def jump(app, page, **params):
    """The same app on another page, opened by a link with these parameters."""
    app.switch_page(page)
    app.query_params.clear()
    for key, text in params.items():
        app.query_params[key] = text
    return checked(app.run())


def address(app):
    return {key: text if isinstance(text, str) else text[0] for key, text in app.query_params.items()}


@NAMED
def test_a_link_leads_to_a_page_there_is(link):
    assert link.page in {entry.name for entry in ENTRIES}
    assert (Path(MAIN).parents[2] / "pages" / f"{link.page}.py").exists()


@NAMED
def test_the_page_s_own_reader_takes_the_link_and_would_write_it_so(link):
    params = link.params(START)
    view, told = url.read_link(params)
    assert told == ()
    own = {key: text for key, text in params.items() if key not in url.ENTRIES}
    assert url.write_link(view)[0] | own == params or not link.reads
    if link.page == "worked_example":
        desk = read_link(params)
        assert desk.told == ()
        assert write_link(desk) == (own, False)
    elif link.page == "explore":
        assert not own
    else:
        page = import_module(f"attention.ui.{link.page}.choices").PAGE
        choices, told = page._read(params)
        assert told == ()
        fields = {entry.field: (entry, f"{page.page}.{key}") for key, entry in page.entries.items()}
        changed = {
            key: entry.write(getattr(choices, name))
            for name, (entry, key) in fields.items()
            if getattr(choices, name) != getattr(page.start, name)
        }
        assert changed == own, "nothing that the page would leave out"


@pytest.mark.parametrize("link", [link for step in PATH for link in step.links], ids=lambda link: link.page)
def test_a_step_opens_without_a_complaint_and_leaves_its_address_alone(started, link):
    app = follow(started, link)
    assert SEEN[link.page] in html(app) + str([element.key for element in app.get("bidi_component")])
    assert not app.warning
    assert not app.error
    assert address(app) == link.params(START)


def test_the_step_about_context_says_which_of_its_examples_it_opens():
    (link,) = [link for step in PATH for link in step.links if link.page == "context"]
    assert link.label == "“bank” in two sentences"
    assert not any(key in link.params(START) for key in ("context.a", "context.b")), "the page's own start"


def test_the_page_has_seven_steps_and_every_word():
    said = words(html(opened(PAGE)))
    assert len(PATH) == 7
    assert all(f"{at}" in said and words(step.title) in said for at, step in enumerate(PATH, start=1))
    names = [words(term.name) for term in TERMS]
    assert set(WANTED.split(", ")) == {name for given in names for name in given.split(", ")}
    assert all(words(term.text) in said for term in TERMS)


def test_its_links_are_those_of_the_data():
    found = [
        (element.proto.page, element.proto.label, dict(parse_qsl(element.proto.query_string)))
        for element in opened(PAGE).get("page_link")
    ]
    wanted = [
        ("./" if link.page == "explore" else link.page.replace("_", "-"), link.label, link.params(START))
        for link in LINKS
    ]
    assert found == wanted


def test_the_reader_s_own_sentence_goes_along_where_the_link_needs_no_other():
    app = opened(PAGE, s="Cats purr.", layer="2", head="3")
    found = {
        element.proto.label: dict(parse_qsl(element.proto.query_string)) for element in app.get("page_link")
    }
    assert found["Padding and its mask"] == {
        "s": "Cats purr.",
        "model": "minilm",
        "layer": "2",
        "head": "3",
        "masks.pattern": "padding",
    }
    assert found["Explore “it”"]["s"] == IT


def test_unknown_keys_are_told():
    (told,) = jump(opened(), PAGE, foo="1").warning
    assert "foo" in told.value


def test_what_is_said_of_minilm_is_so(minilm):
    run = minilm.run(IT)
    config = minilm.config
    assert (config.d_model, config.d_head, config.n_heads) == (384, 32, 12)
    before = run.attention(0).weights[2].diagonal(-1)
    assert float(before.min()) > 0.99, "the head with one habit"
    row = run.attention(4).weights[4, 7]
    assert [run.tokens[at].text for at in (7, int(row.argmax()))] == ["it", "application"]
    pieces = minilm.run("The lorry hit the hedgerows.").tokens
    assert [token.text for token in pieces if token.text.startswith("##")]
    assert not pieces[2].text.startswith("##")


@pytest.mark.weights
def test_what_is_said_of_smollm2_is_so():
    model = load("smollm2")
    assert (model.config.n_heads, model.config.n_kv_heads) == (9, 3)
    weights = model.run(IT).attention(18).weights[8]
    assert float(weights[:, 0].min()) > 0.99, "the sink"


@pytest.mark.weights
@pytest.mark.parametrize("link", SMOLLM2, ids=lambda link: f"{link.page}: {link.label}")
def test_links_with_smollm2_open_without_a_complaint(started, link):
    app = follow(started, link)
    assert not app.warning
    assert address(app) == link.params(START)


def test_a_link_taken_from_the_first_page_of_a_session_brings_its_own_state():
    app = checked(AppTest.from_file(MAIN, default_timeout=120).switch_page(PAGE).run())
    assert "Seven steps" in html(app)
    app.query_params["s"], app.query_params["query"] = "The bank approved the loan.", "2"
    checked(app.switch_page("../../pages/block.py").run())
    assert "The bank approved the loan." in [box.value for box in app.text_input]
    assert app.query_params["query"] in ("2", ["2"])
