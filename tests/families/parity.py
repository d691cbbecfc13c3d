"""The comparison that every family must pass: each step of each layer, and the states at each joint."""

import torch

from tests.reference import STEPS


def assert_parity(run, reference, *, atol=1e-10):
    """Our run equals the reference at every step of every layer."""
    assert run.n_layers == len(reference.layers)
    for layer, expected in enumerate(reference.layers):
        trace, states, at = run.attention(layer), run.layer(layer), f"of layer {layer}"
        assert_trace(trace, expected, atol, at)
        for state in ("pre", "mid", "crossed"):
            same(getattr(states, state), expected[state], atol, f"{state} {at}")
    for layer, expected in enumerate(reference.cross):
        assert_trace(run.cross_attention(layer), expected, atol, f"of cross-attention {layer}")
    close(run.final, reference.final, atol, "final states")
    if run.model.transformer.unembedding is not None:
        close(run.logits, reference.logits, atol, "logits")
    if reference.encoder is not None:
        assert_parity(run.encoder, reference.encoder, atol=atol)


def assert_trace(trace, expected, atol, at):
    for step in (*STEPS, *(name for name in expected if name.startswith(("projected", "normed")))):
        close(getattr(trace, step), expected[step], atol, f"{step} {at}")
    close(trace.fused_output, expected["output"], atol, f"fused output {at}")


def same(ours, theirs, atol, what):
    assert (ours is None) == (theirs is None), what
    if theirs is not None:
        close(ours, theirs, atol, what)


def close(ours, theirs, atol, what):
    torch.testing.assert_close(
        ours, theirs, atol=atol, rtol=0, check_dtype=True, msg=lambda message: f"{what}: {message}"
    )
