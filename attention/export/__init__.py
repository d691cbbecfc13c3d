"""What is on screen, as a file."""
