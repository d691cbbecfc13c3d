"""Models that are not in the catalog: files of whoever runs the app, and the model hub."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention.checkpoints.hub_model import is_hub_id
from attention.errors import CheckpointError
from attention.figures.labels import markdown_label
from attention.ui.models import downloads, names
from attention.ui.models.downloads import HUB, Wanted
from attention.ui.titles import title

_FILE, _ID = "models.file", "models.id"


def others() -> DeltaGenerator | None:
    """Both; the place for a bar where a model of the hub is being fetched."""
    with st.container(key="others"):
        files, hub = st.columns(2, gap="large")
        with files:
            st.html(title("In the models folder"))
            _files()
        with hub:
            st.html(title("From the model hub"))
            return _hub()


def _files() -> None:
    try:
        found = names.listed()
    except CheckpointError as error:
        st.error(str(error), icon=":material/folder_off:")
        return
    if not found:
        st.html(f'<div class="cap">{_no_files()}</div>')
        return
    st.selectbox("A folder with a config.json, or a GGUF file", found, key=_FILE)
    st.button("Open this file", key="models.open-file", on_click=_open_file)


def _no_files() -> str:
    if names.folder_is_named():
        return f"The folder that {names.FOLDER} names holds no folder with a config.json and no GGUF file."
    return (
        f"Start the app with {names.FOLDER} set to a folder, and what lies in it can be opened here: folders "
        "with config.json and *.safetensors, and GGUF files. Nothing else of this disk is looked at."
    )


def _open_file() -> None:
    downloads.open_view(st.session_state[_FILE])


def _hub() -> DeltaGenerator | None:
    if not names.hub_is_open():
        st.html(f'<div class="cap">Switched off by whoever runs this app ({names.HUB}=off).</div>')
        return None
    with st.form("models.hub", border=False):
        st.text_input("Id of a model on the hub", key=_ID, placeholder="someone/model")
        st.form_submit_button("Get and open", icon=":material/download:", on_click=_ask)
    st.html(
        '<div class="cap">Its configuration, tokenizer and safetensors are fetched, and no code. A link '
        "never opens one: it takes this click.</div>"
    )
    if (failed := downloads.failure(HUB)) is not None:
        st.error(failed, icon=":material/error:")
    return st.empty() if downloads.is_on_its_way(HUB) else None


def _ask() -> None:
    typed = str(st.session_state[_ID]).strip()
    if is_hub_id(typed):
        downloads.ask(Wanted(HUB, typed))
    else:
        downloads.refuse(
            HUB, f"“{markdown_label(typed)}” is no id of a model on the hub, such as someone/model."
        )
