"""Attention by tiles: hand-made states, the same result as whole matrices, and mistakes that must show."""

import math
from dataclasses import replace

import pytest
import torch

from attention.engine import steps, tiled
from attention.engine.masks import Causal, Cells, Full, Keys, Window, dense
from attention.engine.settings import Settings
from attention.engine.tiled import TiledAttention, of_trace
from attention.errors import InputError
from tests.toys import toy

IDS = list(range(9))
ADDED = dict(rotary_base=100.0, d_rotary=4, softcap=0.5, bias="alibi")

# Four queries, keys and values; tiles of 2 × 2. By hand from exponentials of whole numbers.
QUERIES = [[1, 0], [0, 1], [1, 1], [-1, 1]]
KEYS = [[1, 0], [0, 2], [-1, 1], [2, 1]]
VALUES = [[1, 0], [0, 1], [2, 2], [-1, 3]]
MAXIMA = [[1, 2], [2, 2], [2, 2], [3, 2]]
SUMS = [[1.367879, 1.135335], [1.553002, 1.871094], [1.367879, 1.049787], [1.553002, 2.099574]]
GATHERED = [
    [[1, 0.367879], [0.135335, 1]],
    [[-0.532546, 3.234909], [0.503215, 2.839397]],
    [[0.367879, 1], [0.049787, 1]],
    [[-0.765091, 3.467454], [2, 3.149361]],
]
OUTPUTS = [
    [[0.731059, 0.268941], [0.119203, 0.880797]],
    [[-0.342914, 2.083004], [0.268941, 1.517506]],
    [[0.268941, 0.731059], [0.047426, 0.952574]],
    [[-0.492653, 2.232743], [0.952574, 1.5]],
]
CORRECTIONS = [[0, 0], [math.exp(-1), 1], [0, 0], [math.exp(-1), 1]]


def by_hand():
    queries, keys, values = (torch.tensor([rows], dtype=torch.float64) for rows in (QUERIES, KEYS, VALUES))
    return TiledAttention(
        queries=queries, keys=keys, values=values, rule=Full(), scale=1.0, n_rows=2, n_columns=2
    )


def assert_hand_made_states():
    found = list(by_hand().tiles())
    assert len(found) == 4
    for number, tile in enumerate(found):
        close(tile.maxima[0], MAXIMA[number])
        close(tile.sums[0], SUMS[number])
        close(tile.gathered[0], GATHERED[number])
        close(tile.output[0], OUTPUTS[number])
        close(tile.corrections[0], CORRECTIONS[number])


def close(found, expected, tolerance=1e-6):
    torch.testing.assert_close(found, torch.tensor(expected, dtype=found.dtype), atol=tolerance, rtol=0)


def test_each_state_is_the_hand_made_one():
    assert_hand_made_states()


def test_tiles_go_along_the_keys_first():
    places = [(tile.queries, tile.keys) for tile in by_hand().tiles()]
    first, second = range(2), range(2, 4)
    assert places == [(first, first), (first, second), (second, first), (second, second)]


def whole(attention):
    """The same output and the logsumexp of each row, from whole matrices."""
    scaled = steps.scale(steps.score(attention.queries, attention.keys), attention.scale)
    n_queries, n_keys = scaled.shape[1:]
    masked = steps.mask(scaled, dense(attention.rule, n_queries, n_keys))
    return steps.mix(steps.softmax(masked), attention.values), masked.logsumexp(dim=-1)


RULES = (Full(), Causal(), Window(3, 0), Window(1, 2), Keys({0, 1, 2}), Causal() & Keys({0, 1}),
         Keys(range(40)), Cells({(0, 0), (4, 3), (4, 4)}))  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_tiles_of_any_size_give_what_whole_matrices_give(rule, seed):
    assert_equals_whole(rule, seed)


def assert_equals_whole(rule, seed):
    attention = drawn(rule, seed)
    output, logsumexp = whole(attention)
    assert not attention.output().isnan().any()
    torch.testing.assert_close(attention.output(), output, atol=1e-13, rtol=0)
    n_keys = attention.keys.shape[1]
    ends = [tile.maxima + tile.sums.log() for tile in attention.tiles() if tile.keys.stop == n_keys]
    torch.testing.assert_close(torch.cat(ends, dim=1), logsumexp, atol=1e-12, rtol=0)


def drawn(rule, seed):
    """Random queries, keys and values of random sizes, in tiles that mostly do not divide them."""
    generator = torch.Generator().manual_seed(seed)
    n_queries, n_keys = (int(n) for n in torch.randint(5, 40, (2,), generator=generator))
    n_rows = int(torch.randint(1, n_queries + 1, (), generator=generator))
    n_columns = int(torch.randint(1, n_keys + 1, (), generator=generator))
    shapes = ((3, n_queries, 7), (3, n_keys, 7), (3, n_keys, 5))
    queries, keys, values = (torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes)
    return TiledAttention(
        queries=queries * 4,
        keys=keys,
        values=values,
        rule=rule,
        scale=0.4,
        n_rows=n_rows,
        n_columns=n_columns,
    )


@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_after_each_tile_the_state_is_that_of_the_keys_met_so_far(size):
    attention = replace(drawn(Window(4, 2), 1), n_rows=size, n_columns=size)
    for tile in attention.tiles():
        met = slice(0, tile.keys.stop)
        rows = slice(tile.queries.start, tile.queries.stop)
        scaled = steps.scale(steps.score(attention.queries[:, rows], attention.keys[:, met]), attention.scale)
        allowed = dense(attention.rule, attention.queries.shape[1], attention.keys.shape[1])[rows, met]
        masked = steps.mask(scaled, allowed)
        torch.testing.assert_close(tile.maxima, masked.amax(dim=-1), atol=1e-14, rtol=0)
        expected = steps.mix(steps.softmax(masked), attention.values[:, met])
        torch.testing.assert_close(tile.output, expected, atol=1e-13, rtol=0)


def test_a_query_that_may_see_nothing_gives_zero_and_minus_infinity():
    attention = replace(drawn(Causal() & Keys({0, 1}), 2), n_rows=2, n_columns=2)
    first = next(iter(attention.tiles()))
    assert first.passed_over
    assert torch.isneginf(first.maxima).all()
    assert (first.sums == 0).all()
    assert (attention.output()[:, :2] == 0).all()
    assert (attention.output()[:, 2:] != 0).all()


def test_scores_far_below_zero_do_not_vanish():
    attention = by_hand()
    shifted = replace(attention, queries=attention.queries * 0 - 1000, keys=attention.keys.abs() + 1)
    torch.testing.assert_close(shifted.output(), whole(shifted)[0], atol=1e-12, rtol=0)


def test_a_score_that_is_not_a_number_is_not_hidden():
    attention = by_hand()
    broken = attention.keys.clone()
    broken[0, 3, 0] = math.nan
    output = replace(attention, keys=broken).output()
    assert output.isnan().all()


def test_no_matrix_is_larger_than_a_tile(monkeypatch):
    held, real = [], steps.score
    monkeypatch.setattr(steps, "score", lambda q, k: (held.append((q.shape[1], k.shape[1])), real(q, k))[1])
    attention = replace(drawn(Full(), 3), n_rows=3, n_columns=4)
    for tile in attention.tiles():
        assert max(tile.masked.shape[1], tile.allowed.shape[0]) <= 3
        assert max(tile.masked.shape[2], tile.allowed.shape[1]) <= 4
    n_queries, n_keys = attention.queries.shape[1], attention.keys.shape[1]
    assert len(held) == math.ceil(n_queries / 3) * math.ceil(n_keys / 4)
    assert {rows for rows, _ in held} <= {3, n_queries % 3}
    assert {columns for _, columns in held} <= {4, n_keys % 4}
    assert sum(rows * columns for rows, columns in held) == n_queries * n_keys


def test_tiles_without_an_allowed_cell_are_not_computed(monkeypatch):
    held, real = [], steps.score
    monkeypatch.setattr(steps, "score", lambda q, k: (held.append(1), real(q, k))[1])
    attention = replace(by_hand(), rule=Causal())
    assert [tile.passed_over for tile in attention.tiles()] == [False, True, False, False]
    assert len(held) == 3


@pytest.mark.parametrize("parts", [{}, ADDED], ids=["plain", "rotated, capped and biased"])
@pytest.mark.parametrize("rule", [Full(), Causal() & Keys({0})], ids=repr)
def test_a_trace_with_everything_a_model_may_add_is_the_same_by_tiles(parts, rule):
    trace = toy(**parts).run(IDS, settings=Settings(mask=rule)).attention(1)
    expected = trace.head_outputs
    torch.testing.assert_close(of_trace(trace, 2, 3).output(), expected, atol=1e-12, rtol=0)
    strip = trace.rows(2, 7)
    torch.testing.assert_close(of_trace(strip, 2, 3).output(), expected[:, 2:7], atol=1e-12, rtol=0)


def test_widened_is_the_same_in_float64():
    trace = toy(dtype=torch.float32, **ADDED).run(IDS).attention(1)
    output = of_trace(trace, 2, 3).widened().output()
    assert output.dtype == torch.float64
    torch.testing.assert_close(output.float(), trace.head_outputs, atol=2e-6, rtol=0)
    assert (output.float().double() != output).any()


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "sentence"),
    [
        (0, 2, "A tile takes from 1 to all 4 queries of the sequence; got 0."),
        (5, 2, "A tile takes from 1 to all 4 queries of the sequence; got 5."),
        (2, 0, "A tile takes from 1 to all 4 keys of the sequence; got 0."),
        (2, 9, "A tile takes from 1 to all 4 keys of the sequence; got 9."),
    ],
)
def test_a_tile_of_nothing_or_of_too_much_is_refused(n_rows, n_columns, sentence):
    with pytest.raises(InputError) as refused:
        replace(by_hand(), n_rows=n_rows, n_columns=n_columns)
    assert str(refused.value) == sentence


def no_correction(before, after):
    return torch.ones_like(after)


def upside_down(before, after):
    return torch.where(before == -math.inf, 0.0, (after - before).exp())


def maximum_at_zero(real):
    return lambda self, rows: replace(real(self, rows), maxima=torch.zeros_like(real(self, rows).maxima))


def maximum_of_this_tile(real):
    """The running maximum forgotten: each tile has its own."""

    def after(self, tile, columns):
        return real(self, replace(tile, maxima=torch.full_like(tile.maxima, -math.inf)), columns)

    return after


def sum_at_one(real):
    return lambda self, rows: replace(real(self, rows), sums=torch.ones_like(real(self, rows).sums),
                                      maxima=torch.zeros_like(real(self, rows).maxima))  # fmt: skip


def unguarded(masked, maxima):
    return (masked - maxima[..., None]).exp()


MUTANTS = {
    "the correction is forgotten": lambda patch: patch.setattr(tiled, "correction", no_correction),
    "the correction is upside down": lambda patch: patch.setattr(tiled, "correction", upside_down),
    "the maximum starts at zero": lambda patch: patch.setattr(
        TiledAttention, "_before", maximum_at_zero(TiledAttention._before)
    ),
    "the maximum is the last tile's": lambda patch: patch.setattr(
        TiledAttention, "_after", maximum_of_this_tile(TiledAttention._after)
    ),
    "the sum starts at one": lambda patch: patch.setattr(
        TiledAttention, "_before", sum_at_one(TiledAttention._before)
    ),
    "a row that sees nothing is not guarded": lambda patch: patch.setattr(tiled, "_exponentials", unguarded),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_caught(name, monkeypatch):
    MUTANTS[name](monkeypatch)
    with pytest.raises(AssertionError):
        all_laws()


def all_laws():
    assert_hand_made_states()
    test_after_each_tile_the_state_is_that_of_the_keys_met_so_far(2)
    for rule in RULES:
        for seed in range(6):
            assert_equals_whole(rule, seed)


def test_the_laws_hold_without_a_mutant():
    all_laws()
