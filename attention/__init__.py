"""Headlight: every step of transformer attention, on your own sentence.

>>> from attention import Settings, load, masks
>>> run = load("worked-example").run("I learn")
>>> run.attention(0).head(0).weights[0, 0]
tensor([0.6698, 0.3302])
"""

from attention.engine import masks
from attention.engine.settings import Settings
from attention.errors import AttentionError, CheckpointError, ConfigError, InputError
from attention.model import Model, load
from attention.run import Run

__all__ = [
    "AttentionError",
    "CheckpointError",
    "ConfigError",
    "InputError",
    "Model",
    "Run",
    "Settings",
    "load",
    "masks",
]
