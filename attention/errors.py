"""What can go wrong in a way the reader can mend.

Each message is one sentence that names the thing and, where numbers disagree, both numbers. Pages show
these and nothing else; any other exception is a bug of ours.
"""


class AttentionError(Exception):
    """The base of everything this package raises on purpose."""


class ConfigError(AttentionError):
    """A model's sizes or choices contradict each other, or are not known here."""


class CheckpointError(AttentionError):
    """A model's files are missing, damaged, or not what they claim to be."""


class TermsError(CheckpointError):
    """A model comes under terms that nobody has accepted yet."""


class InputError(AttentionError):
    """A sentence, an index or a setting that the model cannot take."""
