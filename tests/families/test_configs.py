"""Configs in both spellings mean the same, as transformers reads them too; what is not known is refused."""

import pytest
from transformers import Gemma3TextConfig, GPTNeoXConfig, LlamaConfig

from attention.engine.masks import Causal, Window
from attention.engine.positions import Rotary, Slowed, SlowedByWavelength
from tests.families import decoders

LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)
BY_WAVELENGTH = SlowedByWavelength(factor=8.0, low=1.0, high=4.0, n_trained=32)
UNSAID = dict.fromkeys(
    ("rope_parameters", "layer_types", "sliding_window_pattern", "_sliding_window_pattern")
)
WINDOWS_FROM_LAYER_2 = dict(use_sliding_window=True, max_window_layers=2)
LOCAL, GLOBAL = "sliding_attention", "full_attention"


def attention(case, **config):
    """The AttentionConfig of each layer, from a config that says nothing of rotation and windows but this."""
    return [layer.attention.config for layer in case.ours(**UNSAID | config).transformer.stack.layers]


def turn(base, n_channels=10, scaling=None):
    return Rotary(base=base, n_channels=n_channels, scaling=scaling)


# What is said, newer and older, and what layer 2 makes of it.
ROTATION = {
    "base": (
        decoders.LLAMA,
        dict(rope_parameters=dict(rope_type="default", rope_theta=5e5)),
        dict(rope_theta=5e5),
        turn(5e5),
    ),
    "scaling by wavelength": (
        decoders.LLAMA3,
        dict(rope_parameters=dict(rope_type="llama3", rope_theta=111.0, **LLAMA3)),
        dict(rope_theta=111.0, rope_scaling=dict(rope_type="llama3", **LLAMA3)),
        turn(111.0, scaling=BY_WAVELENGTH),
    ),
    "linear scaling": (
        decoders.QWEN3,
        dict(rope_parameters=dict(rope_type="linear", rope_theta=2e4, factor=2.0)),
        dict(rope_theta=2e4, rope_scaling=dict(type="linear", factor=2.0)),
        turn(2e4, scaling=Slowed(factor=2.0)),
    ),
    "two bases, the global one scaled": (
        decoders.GEMMA3,
        dict(
            layer_types=[LOCAL, LOCAL, GLOBAL, LOCAL, LOCAL],
            rope_parameters=dict(
                full_attention=dict(rope_type="linear", rope_theta=2e6, factor=8.0),
                sliding_attention=dict(rope_type="default", rope_theta=3e4),
            ),
        ),
        dict(
            sliding_window_pattern=3,
            rope_theta=2e6,
            rope_local_base_freq=3e4,
            rope_scaling=dict(rope_type="linear", factor=8.0),
        ),
        turn(2e6, scaling=Slowed(factor=8.0)),
    ),
    "two bases, as they are left out": (
        decoders.GEMMA3,
        dict(rope_parameters=dict(sliding_attention=dict(rope_type="default", rope_theta=1e4))),
        dict(),
        turn(1e4),
    ),
    "a part rotated": (
        decoders.GPT_NEOX,
        dict(rope_parameters=dict(rope_type="default", rope_theta=2e4, partial_rotary_factor=0.5)),
        dict(rotary_emb_base=2e4, rotary_pct=0.5),
        turn(2e4, n_channels=7),
    ),
}


@pytest.mark.parametrize("choice", ROTATION)
def test_both_spellings_of_rotation_mean_the_same(choice):
    case, newer, older, expected = ROTATION[choice]
    assert attention(case, **newer) == attention(case, **older)
    assert attention(case, **newer)[2].rotary == expected


@pytest.mark.parametrize(
    ("made", "choice"),
    [
        (LlamaConfig, "base"),
        (LlamaConfig, "scaling by wavelength"),
        (Gemma3TextConfig, "two bases, the global one scaled"),
        (GPTNeoXConfig, "a part rotated"),
    ],
)
def test_transformers_reads_the_older_spelling_as_the_newer(made, choice):
    _, newer, older, _ = ROTATION[choice]
    assert made(**older).to_dict()["rope_parameters"] == newer["rope_parameters"]


@pytest.mark.parametrize(
    ("case", "newer", "older"),
    [
        (decoders.GEMMA3, [LOCAL, LOCAL, GLOBAL, LOCAL, LOCAL], dict(sliding_window_pattern=3)),
        (decoders.GEMMA2, [LOCAL, GLOBAL, LOCAL, GLOBAL, LOCAL], dict()),
        (decoders.QWEN2, [GLOBAL, GLOBAL, LOCAL, LOCAL, LOCAL], WINDOWS_FROM_LAYER_2),
    ],
)
def test_both_spellings_of_windows_mean_the_same(case, newer, older):
    expected = [Window(3, 0) if kind == LOCAL else Causal() for kind in newer]
    assert masks(case, layer_types=newer) == masks(case, **older) == expected


def test_the_length_beside_the_parameters_goes_before_the_one_inside():
    given = dict(rope_parameters=dict(rope_type="llama3", rope_theta=111.0, **LLAMA3))
    (config, *_) = attention(decoders.LLAMA, **given, original_max_position_embeddings=48)
    assert config.rotary.scaling == SlowedByWavelength(factor=8.0, low=1.0, high=4.0, n_trained=48)


def test_scaling_is_for_the_global_layers_alone():
    configs = attention(
        decoders.GEMMA3, rope_scaling=dict(type="linear", factor=8.0), sliding_window_pattern=3
    )
    assert [config.rotary.scaling for config in configs] == [None, None, Slowed(factor=8.0), None, None]
    assert [config.rotary.base for config in configs] == [1e4, 1e4, 1e6, 1e4, 1e4]


def masks(case, **config):
    return [config.own_mask for config in attention(case, **config)]


@pytest.mark.parametrize(
    ("case", "config", "expected"),
    [
        (decoders.MISTRAL, dict(sliding_window=4), [Window(3, 0)] * 5),
        (decoders.MISTRAL, dict(sliding_window=None), [Causal()] * 5),
        (decoders.QWEN2, dict(use_sliding_window=False, sliding_window=4), [Causal()] * 5),
        (decoders.QWEN2, dict(use_sliding_window=True, max_window_layers=4), [Causal()] * 4 + [Window(3, 0)]),
        (decoders.GEMMA2, dict(), [Window(3, 0), Causal()] * 2 + [Window(3, 0)]),
        (decoders.GEMMA3, dict(), [Window(3, 0)] * 5),
        (decoders.GEMMA3, dict(sliding_window_pattern=2), [Window(3, 0), Causal()] * 2 + [Window(3, 0)]),
        (decoders.LLAMA, dict(sliding_window=4), [Causal()] * 5),
    ],
)
def test_windows_by_layer(case, config, expected):
    assert masks(case, **config) == expected


def test_sizes_that_a_published_config_leaves_out_are_those_of_transformers():
    sizes = dict.fromkeys(("num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size"))
    with pytest.raises(Exception, match=r"config asks for \[262208, 24\]"):
        decoders.GEMMA3.ours(**sizes)


def test_a_gemma_3_that_sees_pictures_is_built_from_its_text():
    case = decoders.GEMMA3
    text = case.model().config.to_dict()
    tensors = {f"language_model.{name}": tensor for name, tensor in case.model().state_dict().items()}
    newer = {
        name.replace("language_model.model.", "model.language_model.").replace(
            "language_model.lm", "lm"
        ): tensor
        for name, tensor in tensors.items()
    }
    for named in (tensors, newer):
        model = case.ours(tensors=named, model_type="gemma3", text_config=text, num_hidden_layers=99)
        assert model.config.n_layers == 5
        assert model.run([3, 1, 4]).logits.equal(case.ours().run([3, 1, 4]).logits)
        assert model.transformer.ignored == ()
