"""What a page says of its own address."""

import streamlit as st


def tell(left_out: bool) -> None:
    """That the address leaves the sentence out, where it does: such a link would not bring it back."""
    if left_out:
        st.info("The sentence is too long for a link: the address leaves it out.", icon=":material/link:")
