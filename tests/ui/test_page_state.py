"""A page's own choices, in the session and in the address bar."""

from html import unescape

from streamlit.testing.v1 import AppTest


def page():
    from dataclasses import dataclass

    import streamlit as st

    from attention.ui import state
    from attention.ui.page_state import PageState, between
    from attention.ui.url import Entry

    @dataclass(frozen=True)
    class Choices:
        d: int = 64
        note: str = "none"

    own = PageState("scaling", Choices(), {"d": Entry("d", between(4, 1024))})
    state.run_began()
    view = state.current()
    choices = own.current()
    if choices.d == 1000:
        own.settle(choices := Choices(d=4), ("1000 does not fit.",))
    st.slider("d", 4, 1024, key=own.held("d", choices.d), on_change=own.take, args=("d",))
    st.button("Double", on_click=lambda: own.change(d=2 * own.current().d))
    own.warnings()
    st.text(f"{choices.d} {view.text}")
    own.write_address(view)
    state.run_ended()


def opened(**params):
    at = AppTest.from_function(page)
    for key, text in params.items():
        at.query_params[key.replace("__", ".")] = text
    return at.run()


def address(at):
    """The parameters in the address bar; AppTest holds some as lists."""
    return {key: text if isinstance(text, str) else text[0] for key, text in at.query_params.items()}


def test_a_link_brings_the_choices_and_the_sentence():
    at = opened(s="Hello there.", scaling__d="128")
    assert at.text[0].value == "128 Hello there."
    assert not at.warning


def test_what_differs_from_the_start_stands_in_the_address():
    at = opened(s="Hello there.")
    assert "scaling.d" not in address(at)
    at.button[0].click().run()
    assert at.text[0].value.startswith("128 ")
    assert address(at)["scaling.d"] == "128"
    assert address(at)["s"] == "Hello there."
    at.slider[0].set_value(64).run()
    assert "scaling.d" not in address(at)


def test_what_another_page_put_there_stays():
    at = opened(s="Hello there.", lines__mass="90")
    at.button[0].click().run()
    assert address(at)["lines.mass"] == "90"


def test_back_brings_earlier_choices():
    at = opened(s="Hello there.")
    at.button[0].click().run()
    del at.query_params["scaling.d"]
    at.run()
    assert at.text[0].value.startswith("64 ")


def test_an_empty_address_is_a_change_of_page_and_keeps_the_choices():
    at = opened(s="Hello there.", scaling__d="128")
    for key in list(at.query_params):
        del at.query_params[key]
    at.run()
    assert at.text[0].value == "128 Hello there."


def test_a_click_before_the_address_has_arrived_is_not_undone():
    at = opened(s="Hello there.")
    at.button[0].click().run()
    del at.query_params["scaling.d"]  # as the browser still has it
    at.button[0].click().run()
    assert at.text[0].value.startswith("256 ")


def test_what_is_wrong_with_a_link_is_told_one_by_one_and_goes_with_the_next_change():
    at = opened(s="Hello there.", scaling__d="2", scaling__x="1")
    assert [unescape(warning.value) for warning in at.warning] == [
        "The link's scaling.d was ignored: 2 is not from 4 to 1,024.",
        "The link's “scaling.x” means nothing here.",
    ]
    at.button[0].click().run()
    assert not at.warning


def test_choices_that_do_not_fit_are_replaced_and_told():
    at = opened(s="Hello there.", scaling__d="1000")
    assert [unescape(warning.value) for warning in at.warning] == ["1000 does not fit."]
    assert address(at)["scaling.d"] == "4"
