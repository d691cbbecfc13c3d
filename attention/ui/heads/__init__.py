"""The page about all heads at once: what each does with the sentence, measured."""
