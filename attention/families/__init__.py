"""Families: each turns a config and tensors into a Transformer."""

from collections.abc import Callable

from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families import bert, distilbert, gemma, gpt2, gpt_neox, llama, marian, roberta, t5, toy
from attention.families.source import Config, Tensors

FAMILIES: dict[str, Callable[[Config, Tensors], Transformer]] = {
    "bert": bert.build,
    "distilbert": distilbert.build,
    "gemma2": gemma.build_gemma2,
    "gemma3": gemma.build_gemma3,
    "gemma3_text": gemma.build_gemma3,
    "gpt2": gpt2.build,
    "gpt_neox": gpt_neox.build,
    "llama": llama.build_llama,
    "marian": marian.build,
    "mistral": llama.build_mistral,
    "qwen2": llama.build_qwen2,
    "qwen3": llama.build_qwen3,
    "roberta": roberta.build,
    "t5": t5.build,
    "toy": toy.build,
}
"""From the ``model_type`` of a config to the builder."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """The model that a config describes.

    Raises:
        ConfigError: The family is not known, or a size or choice is wrong.
        CheckpointError: A tensor is missing or mis-shaped.
    """
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise ConfigError(f"The model_type is {family!r}; known here: {', '.join(sorted(FAMILIES))}.")
    return FAMILIES[family](config, tensors)
