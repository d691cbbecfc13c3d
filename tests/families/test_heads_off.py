"""A head that is off equals a reference whose W_O has nothing for it, at every site."""

import copy

import pytest
import torch

from attention import Settings
from tests.families import decoders, encoders, translators
from tests.families.parity import close
from tests.reference import record, widened

OFF = {(1, 2), (3, 0)}


def silenced(case, projection, layers, d_head):
    """Their steps, with the columns of W_O that belong to those heads at zero."""
    model = copy.deepcopy(case.model())
    with torch.no_grad():
        for layer, head in OFF:
            w_o = projection(layers(model)[layer]).weight
            columns = w_o.T if type(projection(layers(model)[layer])).__name__ == "Conv1D" else w_o
            columns[:, head * d_head : (head + 1) * d_head] = 0
    with widened():
        return record(model, case.layout, case.encoder, **case.inputs(case.fullest))


@pytest.mark.parametrize(
    ("case", "d_head"),
    [
        (encoders.BERT, 5),
        (decoders.GPT2, 5),
        (decoders.LLAMA3, 10),
        (decoders.GEMMA2, 10),
        (translators.T5, 4),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_in_self_attention(case, d_head):
    expected = silenced(case, case.layout.output, case.layout.layers, d_head)
    run = case.run(case.fullest, heads_off=OFF)
    for layer, steps in enumerate(expected.layers):
        trace = run.attention(layer)
        close(trace.weights, steps["weights"], 1e-10, f"weights of layer {layer}")
        close(trace.output, steps["output"], 1e-10, f"output of layer {layer}")
        close(trace.fused_output, steps["output"], 1e-10, f"fused output of layer {layer}")
    close(run.final, expected.final, 1e-10, "final")
    assert (run.final - case.run(case.fullest).final).abs().max() > 1e-3


@pytest.mark.parametrize("site", ["cross", "encoder"])
def test_in_the_other_sites_of_an_encoder_decoder(site):
    case = translators.MARIAN
    layout = case.layout if site == "cross" else case.encoder
    projection, d_head = (layout.cross_output, 3) if site == "cross" else (layout.output, 5)
    expected = silenced(case, projection, layout.layers, d_head)
    run = case.run(case.fullest, **{site: Settings(heads_off=OFF)})
    close(run.encoder.final, expected.encoder.final, 1e-10, "memory")
    close(run.final, expected.final, 1e-10, "final")
    assert (run.final - case.run(case.fullest).final).abs().max() > 1e-3
