"""How many cores work gets, and which work waits for other work."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from attention.analysis.strips import pooled
from attention.ui import cache, sheets, turns
from attention.ui.asked import Asked
from attention.ui.heads import found
from attention.ui.loading import CancelledError
from attention.ui.overview import Drawn
from attention.ui.stores import Store
from attention.ui.turns import (
    COSTLY_TOKENS,
    SMALL_TOKENS,
    TURNS,
    Turns,
    all_cores,
    alone,
    on_one_core,
    while_waiting,
)
from attention.ui.waiting import IN_LINE, SAME, in_layers

LONG = COSTLY_TOKENS + 1
PATIENCE = 20
ASKED = Asked(model="worked-example", text="I " * 150 + "learn " * 150)
OWN = Drawn(shade="head")
SOURCE = found.Source(ASKED, "self", words=False)

KINDS = {
    "a text": lambda: cache.begin_run(ASKED),
    "all heads at a glance": lambda: cache.begin_overview(ASKED),
    "a sheet drawn otherwise": lambda: sheets.begin_sheet(ASKED, "self", OWN),
    "measures": lambda: found.begin_measured(SOURCE),
    "likeness": lambda: found.begin_alike(SOURCE, 0, 0),
}


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(turns, "CORES", 4)
    on_one_core()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def nothing_kept(monkeypatch):
    """Stores of their own for everything that is made."""
    for module in (cache, sheets, found):
        made = module._Stores()
        monkeypatch.setattr(module, "_stores", lambda made=made: made)


class Other:
    """A thread that has its turn from the beginning to the end of a `with`."""

    def __init__(self, queue):
        self.queue, self.has, self.may_end = queue, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        with self.queue.turn(LONG):
            self.has.set()
            self.may_end.wait(PATIENCE)

    def __enter__(self):
        self.thread.start()
        assert self.has.wait(PATIENCE)
        return self

    def __exit__(self, *_):
        self.may_end.set()
        self.thread.join(PATIENCE)


@pytest.mark.parametrize(("n_tokens", "cores"), [(SMALL_TOKENS, 1), (SMALL_TOKENS + 1, 4), (LONG, 4)])
def test_small_work_has_one_core_and_the_rest_all(n_tokens, cores):
    with Turns().turn(n_tokens):
        assert torch.get_num_threads() == cores
    assert torch.get_num_threads() == 1


def test_cores_are_given_back_when_work_fails():
    with pytest.raises(ZeroDivisionError), all_cores():
        raise ZeroDivisionError
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize(("n_tokens", "waits"), [(COSTLY_TOKENS, False), (LONG, True)])
def test_only_costly_work_waits_for_a_turn(n_tokens, waits):
    shared, went = Turns(), threading.Event()

    def other():
        with shared.turn(n_tokens):
            went.set()

    with shared.turn(LONG):
        thread = threading.Thread(target=other)
        thread.start()
        assert went.wait(0.2 if waits else PATIENCE) is not waits
    thread.join()
    assert went.is_set()


def test_who_has_a_turn_takes_another_within_it_and_keeps_all_cores():
    shared = Turns()
    with shared.turn(LONG):
        with shared.turn(LONG), shared.turn(SMALL_TOKENS + 1):
            assert shared.mine
        assert torch.get_num_threads() == 4
        assert shared.mine
    assert not shared.mine


def test_first_come_is_first_served():
    shared, order = Turns(), []

    def work(number, in_line):
        with while_waiting(lambda before: in_line.set()), shared.turn(LONG):
            order.append(number)

    with ThreadPoolExecutor(4) as threads, shared.turn(LONG):
        for number in range(4):
            in_line = threading.Event()
            threads.submit(work, number, in_line)
            assert in_line.wait(PATIENCE)
    assert order == [0, 1, 2, 3]


def test_who_waits_is_told_how_much_comes_first_and_when_it_is_over():
    shared, said = Turns(), []
    with Other(shared) as other:

        def told(before):
            said.append(before)
            other.may_end.set()

        with while_waiting(told), shared.turn(LONG):
            assert said[0] == 1
            assert said[-1] == 0


def test_who_gives_up_waiting_holds_nobody_up():
    shared = Turns()

    def give_up(before):
        raise CancelledError

    with Other(shared), pytest.raises(CancelledError), while_waiting(give_up), shared.turn(LONG):
        pytest.fail("it was not its turn")
    with shared.turn(LONG):
        assert shared.mine


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_long_work_waits_for_any_other_says_so_and_can_be_called_off(nothing_kept, kind):
    if kind != "a text":
        cache.run(ASKED)
    with Other(TURNS):
        loading, said = KINDS[kind](), []

        def told(*what):
            said.append(what)
            if what == (IN_LINE, 0, 1):
                loading.call_off()

        with pytest.raises(CancelledError):
            loading.watch(told)
    assert (IN_LINE, 0, 1) in said
    assert KINDS[kind]().watch() is not None


def test_one_head_in_blocks_waits_for_other_long_work_and_once_made_for_nobody(nothing_kept):
    said, made = [], []

    def told(ahead):
        said.append(ahead)
        other.may_end.set()

    def blocks():
        return cache.pooled((ASKED, "some head"), lambda: made.append(TURNS.mine) or strip)

    strip = pooled(cache.run(ASKED).attention(0).head(0), 4, "max")
    with Other(TURNS) as other, while_waiting(told):
        assert blocks() is strip
    with Other(TURNS), while_waiting(lambda ahead: pytest.fail("it was kept")):
        assert blocks() is strip
    assert said == [1, 0]
    assert made == [True]


class Maker:
    """A thread that makes something in a store from the beginning to the end of a `with`."""

    def __init__(self, store, key, make=lambda: "made"):
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=store.once, args=(key, lambda: self.work(make)))

    def work(self, make):
        self.begun.set()
        self.may_end.wait(PATIENCE)
        return make()

    def __enter__(self):
        self.thread.start()
        assert self.begun.wait(PATIENCE)
        return self

    def __exit__(self, *_):
        self.may_end.set()
        self.thread.join(PATIENCE)


def test_who_waits_for_what_another_is_making_is_told_so_and_gets_it():
    store, said = Store(9, len), []
    with Maker(store, "key") as maker:

        def told(ahead):
            said.append(ahead)
            maker.may_end.set()

        with while_waiting(told):
            assert store.once("key", lambda: pytest.fail("it was made twice")) == "made"
            assert store.once("another", lambda: "at once") == "at once"
    assert said[0] == "the same"
    assert said[-1] == 0
    assert said.count(0) == 1


def test_who_gives_up_waiting_for_the_same_holds_nobody_up():
    store = Store(9, len)

    def give_up(ahead):
        raise CancelledError

    with Maker(store, "key"), pytest.raises(CancelledError), while_waiting(give_up):
        store.once("key", lambda: pytest.fail("it was made twice"))
    assert store.once("key", lambda: pytest.fail("it was not kept")) == "made"


def test_who_gives_up_when_told_that_the_wait_is_over_holds_nothing():
    lock = threading.Lock()
    lock.acquire()

    def told(ahead):
        if ahead == 0:
            raise CancelledError
        lock.release()

    with pytest.raises(CancelledError), while_waiting(told), alone(lock):
        pytest.fail("it was called off")
    assert not lock.locked()


def test_a_worker_that_waits_for_what_a_page_is_reading_says_so_and_can_be_called_off(nothing_kept):
    said = []
    with Maker(cache._stores().runs, ASKED, lambda: cache._made_run(cache._stores(), ASKED, None)):
        loading = cache.begin_overview(ASKED)

        def told(*what):
            said.append(what)
            if what == (SAME, 0, 0):
                loading.call_off()

        with pytest.raises(CancelledError):
            loading.watch(told)
    assert (SAME, 0, 0) in said
    assert cache.begin_overview(ASKED).watch() is not None


def test_a_bar_counts_down_the_queue_then_the_layers():
    said = []
    with in_layers(lambda *what: said.append(what), 6) as on_layer:
        for before in ("the same", 2, 1, 0):
            turns._tell.get()(before)
        on_layer(1, 6)
    waits = [(SAME, 0, 0), (IN_LINE, 0, 2), (IN_LINE, 1, 2)]
    assert said == [("Layers", 0, 6), *waits, ("Layers", 0, 6), ("Layers", 1, 6)]


def test_nobody_waits_for_what_others_make_while_it_is_their_turn(nothing_kept, monkeypatch):
    """Who makes it may be in the queue behind: both would wait for ever."""
    asked, once = [], Store.once

    def heard(store, key, make):
        asked.append(key)
        assert not TURNS.mine
        return once(store, key, make)

    monkeypatch.setattr(Store, "once", heard)
    for kind in KINDS.values():
        kind().watch()
    for summary in found._SUMMARIES:
        found.summed_up(SOURCE, summary)
    assert len(asked) > len(KINDS) + len(found._SUMMARIES)


def test_all_kinds_at_once_come_to_an_end(nothing_kept):
    """Of two texts, each by several at a time, and none has been read before."""
    other = found.Source(Asked(model="worked-example", text="learn " * 300), "self", words=False)
    work = [
        lambda source=source, kind=kind: kind(source)
        for _ in range(2)
        for source in (SOURCE, other)
        for kind in (
            found.heads_measured,
            lambda source: found.summed_up(source, "rollout"),
            lambda source: found.heads_alike(source, 0, 0),
            lambda source: cache.overview(source.asked),
            lambda source: sheets.sheet(source.asked, "self", OWN),
        )
    ]
    with ThreadPoolExecutor(len(work)) as threads:
        ends = [threads.submit(piece) for piece in work]
        assert all(end.result(60) is not None for end in ends)
