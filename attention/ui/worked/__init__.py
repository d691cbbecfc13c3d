"""The worked example: attention on numbers that the reader types, small enough to reckon by hand."""
