"""What the Models page says a model is made of, for every family, against transformers' own account."""

import re

import pytest

from attention.ui.models.anatomy import blocks, parameters, stacks
from attention.ui.models.facts import facts, ranges
from tests.families.table import CASES
from tests.toys import toy


def rows(model):
    return {fact.name: fact.values for fact in facts(model)}


def shape(block):
    """A block in short: where its norms stand (b before, s after the sublayer, a after the add)."""
    marks = ("b", "s", "a")
    parts = [
        sublayer.kind
        + "".join(
            mark
            for mark, norm in zip(
                marks, (sublayer.before, sublayer.after_sublayer, sublayer.after_add), strict=True
            )
            if norm
        )
        for sublayer in block.sublayers
    ]
    return (" | " if block.parallel else " ").join(parts)


def left_aside(name, model):
    """Numbers that transformers has and we have no use for: BERT's pooler, Marian's two computed tables."""
    wanted = r"pooler|embed_positions" if name.startswith(("bert", "roberta", "marian")) else r"^$"
    return sum(p.numel() for key, p in model.named_parameters() if re.search(wanted, key))


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_those_that_transformers_counts(name):
    theirs = CASES[name].model()
    counted = sum(p.numel() for p in theirs.parameters()) - left_aside(name, theirs)
    if name.startswith("marian"):  # its bias on the logits is a buffer there
        counted += theirs.final_logits_bias.numel()
    assert parameters(CASES[name].ours().transformer) == counted


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("bert", ["attentiona mlpa"]),
        ("distilbert", ["attentiona mlpa"]),
        ("gpt2", ["attentionb mlpb"]),
        ("gpt_neox", ["attentionb | mlpb"]),
        ("qwen3", ["attentionb mlpb"]),
        ("gemma2", ["attentionbs mlpbs"]),
        ("gemma3", ["attentionbs mlpbs"]),
        ("t5", ["attentionb mlpb", "attentionb crossb mlpb"]),
        ("marian", ["attentiona mlpa", "attentiona crossa mlpa"]),
    ],
)
def test_blocks_have_the_shape_of_their_family(name, shapes):
    transformer = CASES[name].ours().transformer
    found = [blocks(part) for part in stacks(transformer).values()]
    assert [shape(block) for each in found for block in each] == shapes
    assert [len(layers) for each in found for layers in each.values()] == [
        len(part.stack.layers) for part in stacks(transformer).values()
    ]


@pytest.mark.parametrize(
    ("name", "row", "values"),
    [
        ("gpt2", "Where norms sit", ("before each sublayer (pre-norm)",)),
        ("gpt2", "Activation", ("GELU, tanh form",)),
        ("gpt_neox", "Where norms sit", ("before each sublayer (pre-norm), attention and MLP in parallel",)),
        ("gpt_neox", "Position", ("queries and keys turn (RoPE, base 10,000, 5 of 14 channels)",)),
        ("gemma2", "Scores", ("× 0.377964, soft cap at 2.5",)),
        ("gemma2", "Where norms sit", ("before and after each sublayer (sandwich)",)),
        (
            "gemma2",
            "Mask",
            ("window: 3 before, 0 after in L0, L2, L4; causal: itself and all before in L1, L3",),
        ),
        ("gemma3", "Scores", ("× 0.377964, queries and keys normed first",)),
        ("gemma3", "Heads a layer", ("6",)),
        ("gemma3", "Heads of keys and values", ("2",)),
        (
            "gemma3",
            "Position",
            (
                "queries and keys turn (RoPE, base 10,000) in L0, L1, L3, L4; queries and keys turn (RoPE, "
                "base 1,000,000, turns slowed 8 times) in L2",
            ),
        ),
        ("t5", "Layers", ("2", "6")),
        ("t5", "Scores", ("not scaled", "not scaled")),
        (
            "t5",
            "Position",
            ("a learned bias on the scores by distance, 8 buckets up to 9",) * 2,
        ),
        ("t5", "Mask", ("none: every token sees every token", "causal: itself and all before")),
        (
            "t5",
            "Cross-attention",
            ("none", "in every layer, 3 heads: every token sees the encoder’s whole memory"),
        ),
        ("marian", "Heads a layer", ("3", "5")),
        ("marian", "d_mlp", ("22", "26")),
        ("marian", "Position", ("sinusoidal vectors for 40 positions, added to the tokens’",) * 2),
    ],
)
def test_choices_are_told_in_words(name, row, values):
    assert rows(CASES[name].ours())[row] == values


def test_values_of_another_width_alibi_and_no_mlp_are_told():
    told = rows(toy(bias="alibi", softcap=4.0))
    assert told["d_head"] == ("5, values 11",)
    assert told["d_mlp"] == told["Activation"] == ("no MLP",)
    assert told["Position"] == (
        "learned vectors for 40 positions, added to the tokens’; a bias on the scores that falls with "
        "distance (ALiBi)",
    )
    assert told["Scores"] == ("÷ √5, soft cap at 4",)
    assert told["Where norms sit"] == ("there are none",)


def test_slopes_are_no_parameters_and_matrices_in_one_place_are_two():
    assert parameters(toy(bias="alibi").transformer) == parameters(toy().transformer)
    from attention import load

    assert parameters(load("worked-example").transformer) == 20


def test_tensors_without_a_use_are_named():
    case = CASES["gpt2"]
    tensors = dict(case.model().state_dict())
    spare = {f"spare.{at}": next(iter(tensors.values())) for at in range(8)}
    (said,) = rows(case.ours(tensors=tensors | spare))["Tensors without a use here"]
    assert said == "spare.0, spare.1, spare.2, spare.3, spare.4, spare.5 and 2 more"


def test_ranges():
    assert ranges([0, 1, 2, 3, 7, 9, 10]) == "L0–L3, L7, L9, L10"
