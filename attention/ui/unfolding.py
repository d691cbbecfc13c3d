"""Parts of a page that are filled only when they are unfolded."""

from __future__ import annotations

import streamlit as st


def unfold_where_used(key: str, used: bool) -> None:
    """Unfold a part in which something has been chosen, as by a link or a Back; the reader may fold it again.

    Args:
        key: Of the expander, which is made after this.
        used: Whether anything in it has been chosen.
    """
    if used and not (key in st.session_state and st.session_state.get(f"{key}.used")):
        st.session_state[key] = True
    st.session_state[f"{key}.used"] = used
