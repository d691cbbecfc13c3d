"""Worked example: two tokens, two dimensions, every number editable."""

import streamlit as st

st.title("Worked example")
