"""Encoder–decoders: two runs, three kinds of attention, and a text that the model writes itself."""

from functools import cache

import pytest
import torch
from transformers.modeling_outputs import BaseModelOutput

from attention import InputError, Settings, masks
from attention.analysis import checks
from tests.families.parity import assert_parity, close
from tests.families.translators import MARIAN, T5
from tests.reference import widened

SOURCE, TARGET = [3, 17, 5, 9, 9, 28, 4], [30, 5, 12, 8, 8]
BOTH = pytest.mark.parametrize("case", [T5, MARIAN], ids=lambda case: case.name)


@cache
def model(case):
    return case.ours()


def run(case, **changes):
    return model(case).run(SOURCE, target=TARGET, **changes)


@BOTH
def test_the_run_is_the_decoders_and_the_encoders_is_inside(case):
    of = run(case)
    assert of.sites == ("self", "cross", "encoder")
    assert of.encoder.sites == ("self",)
    assert [token.id for token in of.tokens] == TARGET
    assert [token.id for token in of.encoder.tokens] == SOURCE
    assert (of.n_layers, of.encoder.n_layers) == (6, {"t5": 2, "marian": 4}[case.name])
    assert (of.model.config.n_layers, of.model.encoder_config.n_layers) == (of.n_layers, of.encoder.n_layers)
    assert of.model.encoder_config.n_heads == 3
    assert of.attention(5).weights.shape == (of.n_heads, 5, 5)
    assert of.cross_attention(5).weights.shape == (of.n_heads, 5, 7)
    assert of.encoder.attention(1).weights.shape == (3, 7, 7)


@BOTH
def test_the_states_of_a_layer_are_linked(case):
    of = run(case)
    for layer in range(6):
        states, block = of.layer(layer), of.model.transformer.stack.layers[layer]
        after = of.resid_pre[layer + 1] if layer < 5 else of.stack_run.post
        assert states.post is after
        crossed = block.cross.norms.add(states.mid, of.cross_attention(layer).output)
        close(states.crossed, crossed, 1e-12, "crossed")
        close(block.mlp.forward(states.crossed), states.post, 1e-12, "post")
    assert of.encoder.layer(0).crossed is None


@BOTH
def test_cross_attention_looks_at_the_encoders_final_states(case):
    of = run(case)
    trace = of.cross_attention(3)
    assert trace.key_input is of.encoder.final
    assert not any((trace.has_rotation, trace.has_bias, trace.has_cap, trace.has_norm))
    assert of.attention(3).has_bias == (case is T5)
    close(trace.rows(1, 4).fused_output, trace.output[1:4], 1e-12, "a strip of queries")
    close(trace.head(2).weights[0], trace.weights[2], 1e-12, "one head")
    close(of.attention(3).head(2).biased[0], of.attention(3).biased[2], 1e-12, "one head's bias")
    close(of.attention(3).rows(2, 4).biased, of.attention(3).biased[:, 2:4], 1e-12, "a strip's bias")


def test_padding_is_the_sources():
    run = MARIAN.ours().run(SOURCE, target=TARGET, pad_to=12)
    assert [token.id for token in run.encoder.tokens[7:]] == [30] * 5
    assert len(run.tokens) == 5
    plain = MARIAN.ours().run(SOURCE, target=TARGET)
    close(run.final, plain.final, 1e-12, "final")


@pytest.mark.parametrize(
    "opened", [dict(cross=Settings(padding=False)), dict(encoder=Settings(padding=False))]
)
def test_padding_that_is_not_hidden_shows_what_goes_wrong(opened):
    plain = run(MARIAN)
    seen = run(MARIAN, pad_to=12, settings=Settings(**opened))
    assert (seen.final - plain.final).abs().max() > 1e-3
    assert seen.cross_attention(0).mask.all() == ("cross" in opened)
    assert seen.encoder.attention(0).mask.all() == ("encoder" in opened)


@BOTH
def test_a_mask_of_cross_attention_equals_transformers(case):
    """The source is read whole, and keys 2 and 5 of it are hidden from the decoder alone."""
    with widened(), torch.no_grad():
        model, given = case.model(), case.inputs("plain")
        model.set_attn_implementation("eager")
        memory = model.get_encoder()(input_ids=given["input_ids"], attention_mask=given["attention_mask"])[0]
        given["attention_mask"][0, [2, 5]] = 0
        theirs = model(**given, encoder_outputs=BaseModelOutput(last_hidden_state=memory))
    ours = run(case, settings=Settings(cross=Settings(mask=masks.Keys({2, 5}))))
    close(ours.logits, theirs.logits[0], 1e-10, "logits")
    assert ours.attention(0).mask_rule == masks.Causal()


@BOTH
def test_a_mask_of_the_encoder_equals_transformers(case):
    """Later words of the source are hidden from earlier ones; the decoder sees them all."""
    with widened(), torch.no_grad():
        model, given = case.model(), case.inputs("plain")
        model.set_attn_implementation("eager")
        causal = torch.full((1, 1, 7, 7), torch.finfo(torch.float64).min).triu(1)
        memory = model.get_encoder()(input_ids=given["input_ids"], attention_mask=causal)[0]
        theirs = model(**given, encoder_outputs=BaseModelOutput(last_hidden_state=memory))
    ours = run(case, settings=Settings(encoder=Settings(mask=masks.Causal())))
    close(ours.logits, theirs.logits[0], 1e-10, "logits")


def test_heads_off_are_each_sites_own():
    off = {(1, 2)}
    for site, settings in (
        ("self", Settings(heads_off=off)),
        ("cross", Settings(cross=Settings(heads_off=off))),
        ("encoder", Settings(encoder=Settings(heads_off=off))),
    ):
        of = run(MARIAN, settings=settings)
        traces = dict(self=of.attention(1), cross=of.cross_attention(1), encoder=of.encoder.attention(1))
        silent = [name for name, trace in traces.items() if trace.head_outputs[2].abs().max() == 0]
        assert silent == [site]
        assert (of.final - run(MARIAN).final).abs().max() > 1e-3


CHANGES = {
    "nothing": Settings(),
    "decoder's mask": Settings(mask=masks.Full(), mask_layers={4}),
    "encoder's head": Settings(encoder=Settings(heads_off={(1, 1)})),
    "cross mask": Settings(cross=Settings(mask=masks.Keys({0}), mask_layers={2, 3})),
    "cross head": Settings(cross=Settings(heads_off={(5, 0)})),
    "no positions": Settings(positions="none"),
    "encoder's positions": Settings(encoder=Settings(positions=[6, 5, 4, 3, 2, 1, 0])),
    "positions": Settings(positions=[4, 3, 2, 1, 0]),
}


@BOTH
@pytest.mark.parametrize("after", CHANGES)
@pytest.mark.parametrize("before", ["nothing", "encoder's head", "positions"])
def test_again_equals_a_fresh_run(case, before, after):
    again = run(case, settings=CHANGES[before]).again(CHANGES[after])
    fresh = run(case, settings=CHANGES[after])
    assert again.settings == CHANGES[after]
    torch.testing.assert_close(again.final, fresh.final, atol=0, rtol=0)
    torch.testing.assert_close(again.encoder.final, fresh.encoder.final, atol=0, rtol=0)
    for one, other in zip(again.resid_pre, fresh.resid_pre, strict=True):
        torch.testing.assert_close(one, other, atol=0, rtol=0)
    if after != "nothing":
        assert (fresh.final - run(case).final).abs().max() > 1e-6


@pytest.mark.parametrize(
    ("after", "layers"),
    [
        ("nothing", []),
        ("decoder's mask", [8, 9]),
        ("cross mask", [6, 7, 8, 9]),
        ("cross head", [9]),
        ("encoder's head", [1, 2, 3, *range(4, 10)]),
    ],
)
def test_again_runs_only_the_layers_the_change_can_touch(after, layers):
    seen = []
    run(MARIAN).again(CHANGES[after], on_layer=lambda done, n: seen.append((done, n)))
    assert seen == [(layer, 10) for layer in layers]


def test_progress_counts_both_stacks_and_each_word_written():
    seen = []
    run(MARIAN, on_layer=lambda done, n: seen.append((done, n)))
    assert seen == [(layer, 10) for layer in range(10)]
    seen.clear()
    model = MARIAN.ours(eos_token_id=None)
    model.run(SOURCE, max_target=3, on_layer=lambda done, n: seen.append((done, n)))
    assert seen == [(layer, 10) for layer in [0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8, 9]]


@BOTH
def test_forward_pass_and_visible_steps_agree(case):
    of = run(case, settings=CHANGES["cross mask"])
    assert checks.visible_difference(of) < 1e-12
    assert checks.visible_difference(of.encoder) < 1e-12


def test_the_encoder_alone_is_a_model_that_predicts_no_token():
    with pytest.raises(InputError, match="predicts no token"):
        _ = run(T5).encoder.logits


def test_shuffled_still_translates():
    shuffled = T5.ours().shuffled()
    assert shuffled.encoder_config == T5.ours().encoder_config
    with pytest.raises(AssertionError):
        assert_parity(shuffled.run(SOURCE, target=TARGET), T5.theirs("plain"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(heads_off={(6, 0)}), "no layer 6: the model has 6"),
        (Settings(encoder=Settings(heads_off={(4, 0)})), "no layer 4: the model has 4"),
        (Settings(encoder=Settings(heads_off={(0, 3)})), "no head 3: the model has 3"),
        (Settings(cross=Settings(heads_off={(0, 5)})), "no head 5: the model has 5"),
        (Settings(cross=Settings(mask=masks.Keys({7}))), "key 7, but the sequence has 7"),
        (Settings(mask=masks.Keys({6})), "key 6, but the sequence has 5"),
        (Settings(encoder=Settings(positions=[0])), "permutation of the 7"),
        (Settings(positions=range(7)), "permutation of the 5"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, message):
    for ask in (lambda: run(MARIAN, settings=settings), lambda: run(MARIAN).again(settings)):
        with pytest.raises(InputError, match=message):
            ask()
