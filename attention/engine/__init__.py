"""The maths: pure steps, frozen values. Knows torch and nothing of text, files or pictures."""
