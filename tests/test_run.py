"""A run: what it keeps, what it refuses, and that starting over in the middle changes nothing."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
import torch

from attention import InputError, Settings, masks
from attention.analysis import checks
from attention.analysis.checks import by_visible_steps
from attention.model import from_checkpoint
from tests.families.encoders import BERT
from tests.toys import toy

IDS = [3, 1, 4, 1, 5, 9, 2, 6]
SENTENCE = [2, 17, 5, 9, 9, 28, 3]
CHANGES = {
    "nothing": Settings(),
    "causal": Settings(mask=masks.Causal()),
    "causal in the last layer": Settings(mask=masks.Causal(), mask_layers={2}),
    "a head of the middle layer": Settings(heads_off={(1, 3)}),
    "own narrowed": Settings(mask=masks.Own() & masks.Keys({2})),
    "no positions": Settings(positions="none"),
    "positions shuffled": Settings(positions=[7, 6, 5, 4, 3, 2, 1, 0]),
    "everything": Settings(mask=masks.Window(1, 0), mask_layers={0, 2}, heads_off={(0, 0), (2, 5)}),
}


def same(ours, expected):
    torch.testing.assert_close(ours.final, expected.final, atol=0, rtol=0)
    for one, other in zip(ours.resid_pre, expected.resid_pre, strict=True):
        torch.testing.assert_close(one, other, atol=0, rtol=0)


@pytest.mark.parametrize("after", CHANGES)
@pytest.mark.parametrize("before", ["nothing", "a head of the middle layer", "positions shuffled"])
@pytest.mark.parametrize(
    "choices", [dict(), dict(positions=False, rotary_base=9.0, d_rotary=4, bias="alibi")]
)
def test_again_equals_a_fresh_run(before, after, choices):
    model = toy(**choices, pad_token_id=0)
    first = model.run(IDS, settings=CHANGES[before], pad_to=10) if "shuffled" not in before else model.run(
        IDS, settings=CHANGES[before]
    )  # fmt: skip
    if len(first.tokens) == 10 and "shuffled" in after:
        first = model.run(IDS, settings=CHANGES[before])
    again = first.again(CHANGES[after])
    same(again, model.run(IDS, settings=CHANGES[after], pad_to=len(first.tokens)))
    assert again.settings == CHANGES[after]
    assert again.attention(1).mask_rule == again.stack_run.plans[1].mask_rule


@pytest.mark.parametrize(
    ("settings", "layers"),
    [
        (CHANGES["nothing"], []),
        (CHANGES["causal in the last layer"], [2]),
        (CHANGES["a head of the middle layer"], [1, 2]),
        (CHANGES["causal"], [0, 1, 2]),
    ],
)
def test_again_runs_only_the_layers_the_change_can_touch(settings, layers):
    seen = []
    toy().run(IDS).again(settings, on_layer=lambda layer, n: seen.append((layer, n)))
    assert seen == [(layer, 3) for layer in layers]


def test_again_shares_the_untouched_residual_streams():
    run = toy().run(IDS)
    assert run.again(CHANGES["a head of the middle layer"]).resid_pre[1] is run.resid_pre[1]


def test_a_run_can_be_stopped_between_layers():
    class StoppedError(Exception):
        pass

    def stop(layer, _n):
        if layer == 1:
            raise StoppedError

    with pytest.raises(StoppedError):
        toy().run(IDS, on_layer=stop)


def test_layers_are_linked_by_the_residual_stream():
    run = BERT.ours().run(SENTENCE)
    for layer in range(3):
        assert run.layer(layer).post is run.resid_pre[layer + 1]
        assert run.layer(layer).pre is run.resid_pre[layer]
    states = run.layer(2)
    sublayer = run.model.transformer.stack.layers[2]
    torch.testing.assert_close(sublayer.mlp.forward(states.mid), states.post, atol=1e-12, rtol=0)


def test_a_run_holds_no_tensor_with_two_position_axes():
    """Whatever is reached from its fields, after everything that reads it has read it; the model is not."""
    run = toy().run(IDS, settings=CHANGES["everything"])
    checks.visible_difference(run)
    assert run.layer(1).mid is not None
    assert sorted(tuple(tensor.shape) for tensor in tensors_of(run)) == [(8, 7)] * 4


def test_a_tensor_that_is_kept_is_found_wherever_it_is():
    run = toy().run(IDS)
    found = len(tensors_of(run))
    vars(run)["kept"] = {"weights": [run.attention(0).weights]}
    vars(run.stack_run.plans[0])["kept"] = run.attention(0)
    shapes = [tuple(tensor.shape) for tensor in tensors_of(run)]
    assert len(shapes) > found
    assert shapes.count((6, 8, 8)) == 1


def tensors_of(run):
    """All tensors that are reached from a run, each once; not through the model, which is there anyway."""
    reached, waiting, found = {id(run.model)}, [run], []
    while waiting:
        value = waiting.pop()
        if id(value) in reached:
            continue
        reached.add(id(value))
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += value
        else:
            waiting += getattr(value, "__dict__", {}).values()
    return found


def test_the_forward_pass_changes_with_the_mask_and_not_the_picture_alone():
    run, own = toy().run(IDS, settings=CHANGES["causal"]), toy().run(IDS)
    for index, layer in enumerate(run.model.transformer.stack.layers):
        visible = layer.forward(run.resid_pre[index], run.stack_run.plans[index], by_visible_steps)
        torch.testing.assert_close(run.after(index), visible, atol=1e-12, rtol=0)
        seen = layer.forward(run.resid_pre[index], own.stack_run.plans[index], by_visible_steps)
        assert (visible - seen).abs().max() > 1e-3
    assert (run.final - own.final).abs().max() > 1e-3


def test_padding_does_not_move_the_real_tokens_and_without_its_mask_it_does():
    model = BERT.ours()
    plain, padded = model.run(SENTENCE), model.run(SENTENCE, pad_to=19)
    torch.testing.assert_close(padded.final[:7], plain.final, atol=1e-12, rtol=0)
    assert [token.special for token in padded.tokens[7:]] == [True] * 12
    open_to_padding = model.run(SENTENCE, pad_to=19, settings=Settings(padding=False))
    assert (open_to_padding.final[:7] - plain.final).abs().max() > 1e-2
    assert open_to_padding.attention(0).mask.all()


def test_positions_own_none_and_permuted_in_numbers():
    model = BERT.ours()
    embedding = model.transformer.embedding
    ids = torch.tensor(SENTENCE)
    words = embedding.tokens[ids] + embedding.segments[0]
    order = [6, 5, 4, 3, 2, 1, 0]
    for settings, positions in (
        (Settings(), embedding.positions[:7]),
        (Settings(positions="none"), 0),
        (Settings(positions=order), embedding.positions[order]),
    ):
        expected = embedding.norm(words + positions)
        run = model.run(SENTENCE, settings=settings)
        torch.testing.assert_close(run.resid_pre[0], expected, atol=1e-12, rtol=0)


def test_without_positions_word_order_is_only_a_permutation():
    model, settings = BERT.ours(), Settings(positions="none")
    ids, order = SENTENCE, [3, 0, 6, 1, 5, 2, 4]
    plain = model.run(ids, settings=settings)
    shuffled = model.run([ids[i] for i in order], settings=settings)
    torch.testing.assert_close(shuffled.final, plain.final[order], atol=1e-10, rtol=0)


def test_next_token_is_the_softmax_of_the_logits():
    run = toy().run(IDS)
    torch.testing.assert_close(
        run.logits, run.final @ run.model.transformer.unembedding.w, atol=1e-12, rtol=0
    )
    torch.testing.assert_close(run.next_token(), torch.softmax(run.logits[-1], -1), atol=1e-12, rtol=0)
    torch.testing.assert_close(run.next_token(2), torch.softmax(run.logits[2], -1), atol=1e-12, rtol=0)


def test_shuffled_has_the_same_numbers_in_other_places():
    model = BERT.ours()
    shuffled = model.shuffled(seed=3)
    for name, tensor in model.checkpoint.tensors.items():
        other = shuffled.checkpoint.tensors[name]
        assert torch.equal(other.flatten().sort().values, tensor.flatten().sort().values)
    assert not torch.equal(model.transformer.embedding.tokens, shuffled.transformer.embedding.tokens)
    again, other_seed = model.shuffled(seed=3), model.shuffled(seed=4)
    run = shuffled.run(SENTENCE)
    assert torch.equal(run.final, again.run(SENTENCE).final)
    assert not torch.equal(run.final, other_seed.run(SENTENCE).final)
    assert "shuffled (seed 3)" in shuffled.revision


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (dict(text=[1] * 41), "The text has 41 tokens; toy takes at most 40"),
        (dict(text=[1], pad_to=41), "pad_to asks for 41 tokens; toy takes at most 40"),
        (dict(text=[1, 2, 3], pad_to=2), r"3 tokens; pad_to \(2\)"),
        (dict(text=[13]), r"Token id 13 is not in the vocabulary \(0–12\)"),
        (dict(text=[]), "no token"),
        (dict(text="hello"), "came without a tokenizer"),
        (dict(text=[1], pair="b"), "both be text or both"),
        (dict(text=[1], target="x"), "takes no target"),
        (dict(text=[1], max_target=0), "max_target must be 1 or more, not 0"),
        (dict(text=[1], settings=Settings(encoder=Settings())), "not an encoder–decoder"),
        (dict(text=[1], settings=Settings(heads_off={(3, 0)})), "no layer 3"),
        (dict(text=[1], settings=Settings(mask=masks.Keys({1}))), "key 1, but the sequence has 1"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(asked, message):
    asked = dict(asked)
    with pytest.raises(InputError, match=message):
        toy().run(asked.pop("text"), **asked)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.attention(3), r"no layer 3: the model has 3 \(layers 0–2\)"),
        (lambda run: run.layer(-1), "no layer -1"),
        (lambda run: run.cross_attention(0), "no cross-attention; it has: self"),
        (lambda run: run.next_token(8), "no position 8: the text has 8"),
        (lambda run: run.again(Settings(cross=Settings())), "not an encoder–decoder"),
        (lambda run: run.again(Settings(heads_off={(0, 6)})), "no head 6"),
    ],
)
def test_what_a_run_does_not_have_is_refused(ask, message):
    with pytest.raises(InputError, match=message):
        ask(toy().run(IDS))


def test_a_model_without_an_output_matrix_predicts_no_token():
    with pytest.raises(InputError, match="predicts no token"):
        toy(unembed=False).run(IDS).next_token()


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        (("embed.tokens", "embed.positions"), "the embedding"),
        (("layers.0.w_v", "layers.0.w_o"), "layer 0"),
        (("layers.2.w_v", "layers.2.w_o"), "layer 2"),
    ],
)
def test_a_run_whose_numbers_overflow_is_refused_where_that_began(changed, where):
    checkpoint = toy(dtype=torch.float32).checkpoint
    tensors = {name: torch.full_like(checkpoint.tensors[name], 3e38) for name in changed}
    model = from_checkpoint(replace(checkpoint, tensors={**checkpoint.tensors, **tensors}))
    with pytest.raises(InputError, match=f"out of {where} are not all finite"):
        model.run(IDS)


def test_sites_and_sizes():
    run = toy().run(IDS)
    assert (run.n_layers, run.n_heads, run.sites, run.encoder) == (3, 6, ("self",), None)
    assert run.model.encoder_config is None
    assert run.tokens[3].id == 1


def test_a_run_a_model_and_a_trace_say_what_they_are_in_one_line():
    run = toy().run(IDS, settings=CHANGES["causal"])
    assert repr(run.model) == "Model('toy', 'seed 5', torch.float64)"
    assert repr(run).startswith("Run('toy', 8 tokens, 3 layers × 6 heads, Settings(mask=Causal()")
    assert repr(run.attention(1)) == "AttentionTrace(6 heads, 8 queries × 8 keys, Causal())"


def test_room_for_the_residual_stream_is_taken_before_the_first_layer(monkeypatch):
    """Taken between what is only passing, it would leave holes there: see `engine/stack.py`."""
    taken, make = [], torch.empty_like
    monkeypatch.setattr(torch, "empty_like", lambda like: taken.append(make(like)) or taken[-1])
    seen = []
    model = toy()
    run = model.run([1, 2, 3], on_layer=lambda done, total: seen.append(len(taken)))
    assert seen == [run.n_layers] * run.n_layers
    kept = [state.data_ptr() for state in (*run.resid_pre[1:], run.stack_run.post)]
    assert kept == [place.data_ptr() for place in taken]
