"""The parts of the page "Is attention all there is?"."""
