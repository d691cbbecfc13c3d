"""The Models page: how a model of the catalog is got, and what is said where it cannot be."""

import json
import re

import pytest
import streamlit as st

from attention import CheckpointError
from attention.ui import cache
from attention.ui.models import downloads
from tests.app.models_page import PAGE, models, said
from tests.app.screen import checked, opened

pytestmark = pytest.mark.usefixtures("unset")


def test_a_model_is_got_by_a_click_with_a_bar(fetched, monkeypatch):
    bars = []
    bar = downloads._bar
    monkeypatch.setattr(downloads, "_bar", lambda room: bars.append(room) or bar(room))
    app = models()
    assert not fetched
    checked(app.button(key="models.get.smollm2").click().run())
    assert fetched == [("smollm2", False)]
    assert len(bars) == 1
    assert "SmolLM2 135M Instructready" in said(app)
    checked(app.run())
    assert len(fetched) == 1


def test_the_bar_stands_on_the_card_while_the_page_is_whole(away, monkeypatch):
    def fetch(name, *, accept_terms=False, progress=None):
        progress("Downloading", 30_000_000, 90_000_000)
        st.stop()  # the run ends where it is, as when a reader breaks it off

    monkeypatch.setattr(downloads, "fetch", fetch)
    app = models()
    checked(app.button(key="models.get.smollm2").click().run())
    (bar,) = app.get("progress")
    assert "models.get.smollm2" not in [button.key for button in app.button]
    assert (bar.proto.text, bar.proto.value) == ("Downloading: 30 MB of 90 MB", 33)
    assert "SmolLM2 135M Instructdownloading" in said(app)
    assert "22,565,376" in said(app)
    assert not checked(app.run()).get("progress")
    assert "SmolLM2 135M Instructnot here yet" in said(app)


def test_a_failed_download_is_one_sentence_and_a_second_try(away, monkeypatch):
    def fetch(name, **_):
        raise CheckpointError(f"{name} is not here and could not be fetched: no connection.")

    monkeypatch.setattr(downloads, "fetch", fetch)
    app = models()
    checked(app.button(key="models.get.smollm2").click().run())
    assert [error.value for error in app.error] == [
        "smollm2 is not here and could not be fetched: no connection."
    ]
    assert "SmolLM2 135M Instructfailed" in said(app)
    assert app.button(key="models.get.smollm2").label == "Try again to get SmolLM2 135M Instruct, 98 MB"
    monkeypatch.setattr(downloads, "fetch", lambda *_, **__: None)
    assert not checked(app.button(key="models.get.smollm2").click().run()).error


def test_terms_are_ticked_before_the_download(fetched):
    app = models()
    assert app.button(key="models.get.gemma3").disabled
    assert json.dumps("https://ai.google.dev/gemma/terms") in str(
        [f'"{link.proto.url}"' for link in app.get("link_button")]
    )
    app.checkbox(key="models.accept.gemma3").check()
    checked(app.run())
    checked(app.button(key="models.get.gemma3").click().run())
    assert fetched == [("gemma3", True)]


def test_terms_can_be_read_on_the_page(away, monkeypatch, tmp_path):
    from attention.ui.models import terms

    (tmp_path / "terms.html").write_text(
        "<script>track()</script><ul><li>Menu</li></ul><article><ol><li>Home</li></ol><h1>Tiny Terms</h1>"
        "<p>Be <b>kind</b> &lt;3."
        "</p><script>more()</script></article><p>Footer</p>"
    )
    monkeypatch.setattr(terms, "fetch_terms", lambda name: tmp_path / "terms.html")
    app = models()
    app.toggle(key="models.terms.gemma3").set_value(True)
    checked(app.run())
    assert "Tiny Terms" in said(app)
    assert "Be kind &lt;3." in said(app)
    assert not re.search(r"track|more\(\)|Menu|Home|Footer", said(app))

    def gone(name):
        raise CheckpointError("The terms could not be fetched: no connection.")

    monkeypatch.setattr(terms, "fetch_terms", gone)
    assert [error.value for error in checked(app.run()).error] == [
        "The terms could not be fetched: no connection."
    ]


def test_terms_accepted_for_the_server_need_no_tick(away, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_ACCEPT_GEMMA_TERMS", "1")
    app = models()
    assert not app.button(key="models.get.gemma3").disabled
    assert "models.accept.gemma3" not in [box.key for box in app.checkbox]


def test_without_its_model_the_app_still_has_this_page(monkeypatch):
    def gone(*_, **__):
        raise CheckpointError("minilm is not here.")

    monkeypatch.setattr(cache, "model", gone)
    monkeypatch.setattr(cache, "found_model", lambda name: None)
    app = opened()
    assert app.warning[0].value == "minilm is not here."
    app.switch_page(PAGE)
    checked(app.run())
    assert "SmolLM2 135M Instruct" in said(app)
    assert not app.get("page_link")


def test_the_notice_goes_once_the_default_model_was_got_here(monkeypatch, fetched):
    def gone(*_, **__):
        raise CheckpointError("minilm is not here. Get it with: python -m attention fetch minilm")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "model", gone)
        patch.setattr(cache, "found_model", lambda name: None)
        patch.setattr(downloads, "cached", lambda name: None)
        app = opened()
        checked(app.switch_page(PAGE).run())
        assert "python -m attention fetch minilm" in app.warning[0].value
        click = app.button(key="models.get.minilm").click()
    monkeypatch.setattr(downloads, "cached", lambda name: None)
    checked(click.run())
    assert fetched == [("minilm", False)]
    assert not app.warning
    assert "See all-MiniLM-L6-v2 in Explore" in [link.proto.label for link in app.get("page_link")]
