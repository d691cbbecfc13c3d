"""The parts of the page "Why is long context expensive?"."""
