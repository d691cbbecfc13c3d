"""A page's own choices: one frozen value in the session, and in the address bar under keys with its name.

What all pages share, the sentence and the model, is the session's view (`state`); a page's own choices stand
beside it and work the same way: widgets are told their value at each run and report changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import streamlit as st

from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.ui import state
from attention.ui.url import FORMER, Entry, between, one_of
from attention.ui.view import ViewState
from attention.ui.words import literal

__all__ = ["PageState", "between", "one_of"]

C = TypeVar("C")


@dataclass(frozen=True)
class PageState(Generic[C]):
    """The choices of one page.

    Attributes:
        page: Its name; its keys in a link begin with it, such as ``scaling.d``.
        start: The choices of a reader who brings no link, a frozen dataclass.
        entries: Its keys without the name: which field each is, how it is read and how it is written.
    """

    page: str
    start: C
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def current(self) -> C:
        """What is chosen: what the link asks for, at first and after the browser's Back; else what it was."""
        params = st.query_params.to_dict()
        if self._name("choices") not in st.session_state or self._went_back(params):
            self._keep(*self._read(params))
        return self._kept()

    def change(self, **fields: Any) -> None:
        """Change some choices; for callbacks. What was wrong with the link has been read by now and goes."""
        self._keep(replace(self.current(), **fields), ())  # type: ignore[type-var]
        state.mark_changed()

    def held(self, name: str, value: object) -> str:
        """The key of a widget, whose value is set to what the choices say."""
        key = self._name(name)
        st.session_state[key] = value
        return key

    def take(self, name: str, convert: Callable[[Any], Any] = lambda value: value) -> None:
        """Set a choice to what the widget of its name now says; a widget's ``on_change``."""
        self.change(**{name: convert(st.session_state[self._name(name)])})

    def take_number(self, name: str) -> None:
        """Set a choice to the number in its box, made with ``value=None``; an emptied one keeps the last."""
        if st.session_state[self._name(name)] is not None:
            self.take(name)

    def settle(self, choices: C, told: tuple[str, ...] = ()) -> None:
        """Make these the choices after what does not fit the sentence was taken out, and say what it was."""
        self._keep(choices, (*self._told(), *told))

    def warnings(self) -> None:
        """What was wrong with the link or does not fit the model, one warning each."""
        for sentence in state.told():
            st.warning(literal(sentence), icon=state.told_icon())
        for sentence in self._told():
            st.warning(literal(sentence), icon=":material/link_off:")

    def write_address(self, view: ViewState | None = None) -> bool:
        """Put the choices into the address bar beside the view; whether the sentence had to be left out."""
        own = self._write()
        st.session_state[self._name("written")] = own
        if view is not None:
            return state.write_address(view, own, self._prefix)
        if st.query_params.to_dict() != own:
            st.query_params.from_dict(own)
        return False

    @property
    def _prefix(self) -> str:
        return f"{self.page}."

    def _name(self, of: str) -> str:
        return f"page.{self.page}.{of}"

    def _keep(self, choices: C, told: tuple[str, ...]) -> None:
        st.session_state[self._name("choices")], st.session_state[self._name("told")] = choices, told

    def _kept(self) -> C:
        choices: C = st.session_state[self._name("choices")]
        return choices

    def _told(self) -> tuple[str, ...]:
        told: tuple[str, ...] = st.session_state.get(self._name("told"), ())
        return told

    def _went_back(self, params: Mapping[str, str]) -> bool:
        own = self._own(params)
        return (
            bool(params) and state.may_go_back() and own != st.session_state.get(self._name("written"), own)
        )

    def _own(self, params: Mapping[str, str]) -> dict[str, str]:
        named = {key: text for key, text in params.items() if key.startswith(self._prefix)}
        return {key: text for key, text in named.items() if key not in FORMER}

    def _read(self, params: Mapping[str, str]) -> tuple[C, tuple[str, ...]]:
        choices, told = self.start, []
        for key, text in self._own(params).items():
            entry = self.entries.get(key.removeprefix(self._prefix))
            if entry is None:
                told.append(f"The link's “{plain_label(key)}” means nothing here.")
                continue
            try:
                choices = replace(choices, **{entry.field: entry.read(text)})  # type: ignore[type-var]
            except InputError as error:
                told.append(f"The link's {key} was ignored: {str(error).removesuffix('.')}.")
        return choices, tuple(told)

    def _write(self) -> dict[str, str]:
        choices = self._kept()
        return {
            self._prefix + key: entry.write(value)
            for key, entry in self.entries.items()
            if (value := getattr(choices, entry.field)) != getattr(self.start, entry.field)
        }
