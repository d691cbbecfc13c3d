"""Start here: a path through the pages, and the words of the field with a place to try each."""
