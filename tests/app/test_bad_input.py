"""What Explore does with sentences, links and circumstances that are not as they should be."""

import re
import unicodedata
from html import unescape

import pytest

from attention.ui.words import EXAMPLES
from tests.app.screen import cells, checked, component, html, markup, opened, packed, plain


def test_bad_values_in_a_link_are_told_one_by_one():
    app = opened(layer="9", head="x", query="40", mask="casual", s="I learn")
    said = [plain(warning.value) for warning in app.warning]
    assert len(said) == 4
    assert "The link's head was ignored" in said[0]
    assert "The link's mask was ignored" in said[1]
    assert "no layer 9: the model has 6" in said[2]
    assert "no query at position 40: the sentence has 4 tokens" in said[3]
    assert app.text_input(key="control.text").value == "I learn"
    app.toggle(key="control.causal").set_value(True)
    assert not checked(app.run()).warning


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty|blank"),
        ("   ", "empty|blank"),
        ("a" * 1_000_000, "1,000,000"),
        ("\U0001f600 \U0001f680", "vocabulary|unknown|knows"),
        ("word " * 600, "602 tokens.*512|602.*at most 512"),
    ],
)
def test_bad_sentences_get_one_sentence_and_stay_in_the_box(text, said):
    app = opened()
    app.text_input(key="control.text").set_value(text)
    checked(app.run())
    assert len(app.error) == 1
    assert re.search(said, plain(app.error[0].value))
    assert app.text_input(key="control.text").value == text
    app.text_input(key="control.text").set_value(EXAMPLES[1].text)
    assert not checked(app.run()).error


def test_a_long_sentence_is_cut_only_when_asked():
    app = opened()
    app.text_input(key="control.text").set_value("word " * 600)
    checked(app.run())
    (cut,) = [button for button in app.button if button.label.startswith("Cut")]
    assert cut.label == "Cut to the first 512 tokens"
    checked(cut.click().run())
    assert not app.error
    assert app.text_input(key="control.text").value == ("word " * 510).strip()
    assert len(packed(app, "tokens")[0]["chips"]) == 512


@pytest.mark.parametrize("token", ["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**"])
def test_markup_in_a_sentence_is_shown_as_itself(token):
    app = opened(s=f"{token} is {token} here")
    everything = html(app) + markup(app, "mix") + markup(app, "products")
    assert "<script" not in everything
    assert "</script" not in everything
    pieces = [chip["shown"] for chip in packed(app, "tokens")[0]["chips"]]
    for piece in ("<", "&", "$", "*"):
        assert (piece in token) == (piece in pieces)


def test_control_characters_and_joiners_do_no_harm():
    app = opened(s="a\u200db \x07 c\u0000 d\u202e e")
    assert len(packed(app, "tokens")[0]["chips"]) >= 5


def test_without_network_and_cache_the_worked_example_opens_and_says_what_is_missing(monkeypatch):
    from attention import CheckpointError
    from attention.ui import cache

    def gone(*_, **__):
        raise CheckpointError("minilm is not here. Get it with: python -m attention fetch minilm")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "model", gone)
        patch.setattr(cache, "found_model", lambda name: None)
        app = opened()
        assert "python -m attention fetch minilm" in app.warning[0].value
        assert "Worked example" in html(app) + " ".join(title.value for title in app.title)
    (again,) = [button for button in app.button if button.label == "Try again"]
    checked(again.click().run())
    assert not app.warning
    assert component(app, "sheet")


PAGES = ("start", "masks", "block", "heads", "context", "positions")


@pytest.mark.parametrize("page", [None, *(f"../../pages/{page}.py" for page in PAGES)])
def test_a_link_cannot_speak_in_the_page_s_voice(page):
    app = opened(page)
    for key, value in {"range": "[a](b)", "zz**b**": "1", "s": "I learn"}.items():
        app.query_params[key] = value
    said = "".join(warning.value for warning in checked(app.run()).warning)
    assert plain(said).count("[a](b)") == plain(said).count("zz**b**") == 1
    for warning in app.warning:
        assert "](" not in warning.value
        assert "**" not in warning.value


def test_masks_in_a_warning_are_copied_as_they_stand_in_a_link():
    said = opened(mask="casual:100:2", s="I learn").warning[0].value
    for mask in ("casual:100:2", "window:2:0", "window:1:1,random:2:12:0", "hide:1.4", "block:0-3.0-4"):
        assert f"`{mask}`" in said
    assert not {sign for sign in unescape(said) if unicodedata.category(sign) == "Cf"}


def test_a_long_chain_of_rules_is_refused():
    app = opened(mask="+".join(["own"] * 400))
    assert "has 400 rules; at most 16 are read" in plain(app.warning[0].value)


def test_a_smaller_model_says_that_it_shows_another_head():
    app = opened(s="I learn", lines__heads="5", query="3")
    app.selectbox(key="control.model").set_value("worked-example")
    said = [plain(warning.value) for warning in checked(app.run()).warning]
    assert said == ["There is no L4 H4 here: L0 H0 is shown instead."]
    assert app.query_params["layer"] in ("0", ["0"])
    assert len(checked(app.run()).warning) == 1
    app.toggle(key="control.causal").set_value(True)
    assert not checked(app.run()).warning
    app.query_params.update(model="minilm", layer="4", head="4", s="I learn")
    assert not checked(app.run()).warning
    assert (app.selectbox(key="control.layer").value, app.selectbox(key="control.head").value) == (4, 4)


def test_a_model_that_has_the_chosen_head_says_nothing():
    app = opened(s="I learn", model="worked-example", layer="0", head="0", pad="3")
    app.selectbox(key="control.model").set_value("minilm")
    assert not checked(app.run()).warning


def test_a_link_with_many_faults_has_them_in_one_box():
    faults = {"layer": "x", "head": "x", "query": "x", "key": "x", "range": "x", "special": "x"}
    app = opened(s="The bank approved the loan.", **faults)
    (box,) = app.warning
    assert plain(box.value).count("was ignored") == len(faults)


def test_the_model_of_two_words_offers_a_sentence_that_it_knows():
    app = opened(model="worked-example", s="The bank approved the loan.")
    assert "it knows “I”, “learn”" in plain(app.error[0].value)
    (offer,) = [button for button in app.button if button.label == "Read “I learn”"]
    checked(offer.click().run())
    assert cells(app).size


def test_a_refused_text_stands_in_the_address():
    app = opened(s="The bank approved the loan.")
    app.text_input[0].set_value("word " * 290).run()
    app.text_input[0].set_value("   ").run()
    assert app.error
    assert app.query_params["s"] in ("   ", ["   "])


@pytest.mark.parametrize("page", [None, "../../pages/masks.py"])
def test_a_model_whose_terms_nobody_accepted_is_got_on_the_models_page(monkeypatch, tmp_path, page):
    with monkeypatch.context() as patch:
        patch.setenv("HEADLIGHT_CACHE", str(tmp_path))
        patch.delenv("HEADLIGHT_ACCEPT_GEMMA_TERMS", raising=False)
        patch.setattr("attention.ui.cache.found_model", lambda name: None)
        app = opened(page, s="I learn", model="gemma3")
    (error,) = app.error
    said = "Gemma 3 270M comes under the Gemma Terms of Use, which you have not accepted yet."
    assert error.value == said
    labels = [link.proto.label for link in app.get("page_link")]
    assert labels == ["Accept them and get it on the Models page"]
