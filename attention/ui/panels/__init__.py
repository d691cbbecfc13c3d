"""The parts of the Explore page: each draws one of them and reports what the reader picked."""
