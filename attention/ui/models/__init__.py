"""The Models page: what can be opened, getting it, and what the open model is made of."""
