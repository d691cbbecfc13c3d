"""The parts of the page "Why √d_k?"."""
