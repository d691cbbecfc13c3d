"""The comparison that every family must pass: each step of each layer, then the residual stream."""

import torch

from tests.reference import STEPS


def assert_parity(run, reference, *, atol=1e-10):
    """Our run equals the reference at every step of every layer."""
    assert run.n_layers == len(reference.layers)
    for layer, expected in enumerate(reference.layers):
        trace = run.attention(layer)
        for step in STEPS:
            close(getattr(trace, step), expected[step], atol, f"{step} of layer {layer}")
        close(trace.fused_output, expected["output"], atol, f"fused output of layer {layer}")
        close(run.resid_pre[layer], reference.hidden[layer], atol, f"residual stream before layer {layer}")
    close(run.final, reference.hidden[-1], atol, "final residual stream")


def close(ours, theirs, atol, what):
    torch.testing.assert_close(
        ours, theirs, atol=atol, rtol=0, check_dtype=True, msg=lambda message: f"{what}: {message}"
    )
