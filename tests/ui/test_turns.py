"""How many cores work gets, and which work waits for other work."""

import threading

import pytest
import torch

from attention.ui import turns
from attention.ui.turns import COSTLY_TOKENS, SMALL_TOKENS, Turns, all_cores, on_one_core


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(turns, "CORES", 4)
    on_one_core()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("n_tokens", "cores"), [(SMALL_TOKENS, 1), (SMALL_TOKENS + 1, 4), (COSTLY_TOKENS + 1, 4)]
)
def test_small_work_has_one_core_and_the_rest_all(n_tokens, cores):
    with Turns().turn(n_tokens):
        assert torch.get_num_threads() == cores
    assert torch.get_num_threads() == 1


def test_cores_are_given_back_when_work_fails():
    with pytest.raises(ZeroDivisionError), all_cores():
        raise ZeroDivisionError
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize(("n_tokens", "waits"), [(COSTLY_TOKENS, False), (COSTLY_TOKENS + 1, True)])
def test_only_costly_work_waits_for_a_turn(n_tokens, waits):
    shared, went = Turns(), threading.Event()

    def other():
        with shared.turn(n_tokens):
            went.set()

    with shared.turn(COSTLY_TOKENS + 1):
        thread = threading.Thread(target=other)
        thread.start()
        assert went.wait(0.2 if waits else 20) is not waits
    thread.join()
    assert went.is_set()
