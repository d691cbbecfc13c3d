"""NumPy arrays and labels in, a figure out. Knows neither torch nor Streamlit."""
