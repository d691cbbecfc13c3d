"""Plausible mistakes in what is measured of heads, each with the test that must tell it."""

from functools import partial

import torch

from attention.analysis import (
    across,
    likeness,
    mass,
    moved,
    reading,
    shares,
    spread,
    targets,
    whole_words,
)
from tests.analysis import (
    test_across,
    test_likeness,
    test_mass,
    test_measures,
    test_merging,
    test_reading,
    test_whole_words,
)
from tests.mutants.rewriting import rewritten

CASE_4A = {
    "effective": 2.339085,
    "entropy": 1.075716,
    "evenness": 0.943800,
    "distance": 0.625,
    "direction": -0.625,
    "previous": 0.466667,
    "self": 0.525,
    "first": 0.3,
    "top3": 0.975,
    "k90": 2.25,
    "rank": 3.184066,
}


def _4a(key):
    return partial(test_measures.test_case_4a, key, CASE_4A[key])


TOLD_BY = {
    _4a("entropy"): {
        "entropy: nats called bits": rewritten(spread.entropy_bits, "in_bits(reading.nats)", "reading.nats")
    },
    _4a("effective"): {
        "effective number: two to the power of nats": rewritten(spread.effective_number, ".exp()", ".exp2()")
    },
    _4a("evenness"): {
        "evenness: over all keys, masked ones too": rewritten(
            spread.normalised_entropy, "n = reading.open_keys", "n = reading.open_keys * 0 + 4"
        ),
        "evenness: rows with a single key counted": rewritten(spread.normalised_entropy, ", n >= 2)", ")"),
    },
    _4a("top3"): {"three largest: two of them": rewritten(spread.on_three_largest, ":3", ":2")},
    _4a("k90"): {
        "nine tenths: the key that reaches it left out": rewritten(
            spread.keys_for_nine_tenths, ".double() + 1", ".double()"
        )
    },
    _4a("rank"): {
        "rank: singular values squared": rewritten(
            spread.effective_rank, "reading.counted])", "reading.counted]) ** 2"
        )
    },
    _4a("distance"): {"distance: with its sign": rewritten(targets.distance, ".abs()", "")},
    _4a("direction"): {
        "direction: sign swapped": rewritten(targets.signed_distance, "* reading.ahead", "* -reading.ahead")
    },
    test_reading.test_rows_have_places_of_their_own_in_every_strip: {
        "strips: rows counted from the first of each": rewritten(
            reading.Reading.ahead, "self.positions", "(self.positions - self.first_row)"
        )
    },
    _4a("self"): {
        "on itself: along the other diagonal": rewritten(
            targets.on_itself, "reading.ahead == 0", "reading.ahead.flip(-1) == 0"
        )
    },
    _4a("previous"): {"previous: the next token": rewritten(targets.on_previous, "-1)", "1)")},
    _4a("first"): {"first: row 0 counted": rewritten(targets.on_first, "> 0", ">= 0")},
    test_measures.test_special_tokens_ask_for_nothing_and_are_looked_at: {
        "share of cells: summed over queries": rewritten(
            reading.Reading.on_cells, "cells).sum(dim=-1)", "cells).sum(dim=-2)"
        )
    },
    test_measures.test_induction_and_equal_tokens_of_a_typed_text: {
        "equal tokens: the query itself counted": rewritten(targets._earlier_copies, "< 0", "<= 0"),
        "induction: the copy, not what followed": rewritten(
            targets.after_equal, "followed[:, 1:] = copies[:, :-1]", "followed |= copies"
        ),
        "induction: two tokens after the copy": rewritten(
            targets.after_equal, "followed[:, 1:] = copies[:, :-1]", "followed[:, 2:] = copies[:, :-2]"
        ),
    },
    test_measures.test_a_token_between_its_copies_is_not_what_followed: {
        "induction: the query itself followed": rewritten(
            targets.after_equal, "reading.ahead < 0", "reading.ahead <= 0"
        )
    },
    test_reading.test_rows_of_padding_are_not_counted: {
        "rows: padding counted": rewritten(
            reading._strip, " & (torch.arange(rows.n_queries) + rows.first_query < pieces.n_real)", ""
        )
    },
    test_measures.test_a_row_that_sees_nothing_is_in_no_mean: {
        "rows: those that see nothing counted": rewritten(
            reading.Reading.over_rows, "self.counted if rows", "self.counted | True if rows"
        )
    },
    test_measures.test_value_weighted_norms_of_kobayashi_s_case: {
        "value norms: without weights": rewritten(
            reading._strip, "weights * lengths[:, None, :]", "lengths[:, None, :].expand_as(weights)"
        ),
        "value norms: before W_O": rewritten(moved.value_lengths, " @ w_o)", ")"),
    },
    test_reading.test_lengths_of_values_that_heads_share: {
        "value norms: kv heads dealt out in turn": rewritten(
            moved.value_lengths, "head // group", "head % trace.config.n_kv_heads"
        )
    },
    test_measures.test_shares_of_the_update_and_of_the_bias_add_up_to_one: {
        "update: the bias left out of the whole": rewritten(
            moved.update_shares, "b_o.double())", "torch.zeros_like(b_o).double())"
        )
    },
    test_merging.test_parts_by_numpy: {
        "shares: over the length, not its square": rewritten(
            shares.shares, "(wide * wide).sum(dim=-1)", "(wide * wide).sum(dim=-1).sqrt()"
        )
    },
    partial(test_mass.test_ninety_percent_of_the_worked_case, torch.float64): {
        "largest until: the key that reaches the share left out": rewritten(
            mass.largest_until, "ordered.cumsum(dim=-1) - ordered", "ordered.cumsum(dim=-1)"
        )
    },
    test_across.test_received_of_case_4a: {
        "received: divided by all queries": rewritten(
            across.received_per_query, "lit.sum(dim=0)", "(lit | True).sum(dim=0)"
        )
    },
    test_across.test_rollout_of_two_layers: {
        "rollout: normalised over queries": rewritten(
            across.rollout, "fused.sum(dim=-1, keepdim=True)", "fused.sum(dim=0, keepdim=True)"
        ),
        "rollout: layers in the wrong order": rewritten(across.rollout, "fused @ rolled", "rolled @ fused"),
        "rollout: without the residual": rewritten(
            across.rollout, "mean + torch.eye(len(mean), dtype=mean.dtype)", "mean"
        ),
    },
    test_likeness.test_the_divergence_of_two_rows: {
        "divergence: entropies not halved": rewritten(
            likeness.divergence_bits, "_bits(theirs)) / 2", "_bits(theirs))"
        ),
        "divergence: in nats": rewritten(likeness._bits, " / math.log(2)", ""),
    },
    test_likeness.test_the_distance_of_two_heads_is_the_mean_of_roots: {
        "likeness: no root": rewritten(likeness.row_distances, ".sqrt()", "")
    },
    test_whole_words.test_keys_are_summed_and_queries_averaged: {
        "words: mean over keys": rewritten(
            whole_words.sum_keys,
            "_owners(units), weights)",
            "_owners(units), weights) / torch.bincount(_owners(units))",
        ),
        "words: sum over queries": rewritten(
            whole_words.mean_queries, "return sums / counts.clamp(min=1)[:, None]", "return sums"
        ),
    },
    test_whole_words.test_a_blind_piece_does_not_thin_its_word: {
        "words: pieces that see nothing thin the mean": rewritten(
            whole_words.mean_queries, "counted.to(", "torch.ones_like(counted).to("
        )
    },
}
"""Each test and the mistakes that it must tell."""

ANALYSIS = {mistake: (made, test) for test, mistakes in TOLD_BY.items() for mistake, made in mistakes.items()}
