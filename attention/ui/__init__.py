"""Streamlit without the layout of a page: state, cache, controls, words and components."""
