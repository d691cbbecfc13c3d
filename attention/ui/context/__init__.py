"""One word in two places: the page's choices, what follows from them, and how it is shown."""
