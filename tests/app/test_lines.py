"""The lines of Explore: which there are, whose stand out, and what a click does."""

import numpy as np
import pytest

from attention.ui import state
from attention.ui.panels import lines as panel
from attention.ui.pictures import picture
from attention.ui.scene import scene
from attention.ui.subjects import lines
from attention.ui.view import ViewState
from tests.app.screen import checked, html, opened, packed, plain

TEXT = "The developer deployed the application because it was ready."
PAIR = {"s": "The bank approved the loan.", "pair": "We sat beside the river bank."}


def weights(run, layer, head):
    """A head's weights made again by plain NumPy, from the parameters and the residual stream."""
    trace = run.attention(layer)
    params, x = trace.params, run.resid_pre[layer].numpy().astype(np.float64)
    w = {
        name: getattr(params, name)[head].numpy().astype(np.float64) for name in ("w_q", "w_k", "b_q", "b_k")
    }
    scores = (x @ w["w_q"] + w["b_q"]) @ (x @ w["w_k"] + w["b_k"]).T / np.sqrt(32)
    raw = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def largest(row, share):
    """The keys that hold a share of a row, by hand."""
    kept, total = set(), 0.0
    for key in np.argsort(-row, kind="stable"):
        if total >= share * row.sum() - 1e-6:
            break
        kept.add(int(key))
        total += row[key]
    return kept


def told(app):
    return [plain(warning.value) for warning in app.warning]


def drawn(app):
    """Every line as (head's name, query, key): weight."""
    header, arrays = packed(app, "lines")
    names = [strand["name"] for strand in header["strands"]]
    return {(names[int(h)], int(q), int(k)): float(w) for h, q, k, w in arrays["lines"]}


@pytest.mark.parametrize("percent", [50, 90])
def test_each_row_has_the_lines_that_hold_its_share(minilm, percent):
    run = minilm.run(TEXT)
    shown = drawn(
        opened(view="lines", layer="4", head="4", **{"lines.heads": "2.7", "lines.mass": str(percent)})
    )
    assert {name for name, *_ in shown} == {"H2", "H4", "H7"}
    for head in (2, 4, 7):
        made = weights(run, 4, head)
        for query, row in enumerate(made):
            keys = {key for name, q, key in shown if (name, q) == (f"H{head}", query)}
            assert keys == largest(row, percent / 100)
            for key in keys:
                assert shown[f"H{head}", query, key] == pytest.approx(row[key], abs=5e-6)


def test_at_a_hundred_every_weight_the_mask_leaves_has_a_line():
    shown = drawn(opened(view="lines", mask="causal", **{"lines.mass": "100"}))
    assert {(query, key) for _, query, key in shown} == {(q, k) for q in range(12) for k in range(q + 1)}


@pytest.mark.parametrize(
    ("block", "first", "second"), [("aa", 0, 0), ("ab", 0, 1), ("ba", 1, 0), ("bb", 1, 1)]
)
def test_a_pair_is_looked_at_sentence_by_sentence(minilm, block, first, second):
    segment = [token.segment for token in minilm.run(PAIR["s"], pair=PAIR["pair"]).tokens]
    shown = drawn(opened(view="lines", **PAIR, **{"lines.pair": block, "lines.mass": "100"}))
    wanted = {
        (q, k) for q, a in enumerate(segment) for k, b in enumerate(segment) if (a, b) == (first, second)
    }
    assert {(query, key) for _, query, key in shown} == wanted


def test_the_choice_by_sentence_is_there_for_a_pair_alone():
    assert "Sentences" in [box.label for box in opened(view="lines", **PAIR).selectbox]
    app = opened(view="lines", **{"lines.pair": "ab"})
    assert "Sentences" not in [box.label for box in app.selectbox]
    assert "There is one sentence, so lines are not chosen by sentence." in told(app)


def test_choosing_a_token_locks_its_lines_and_choosing_it_again_lets_go(monkeypatch):
    changed = {}
    monkeypatch.setattr(state, "change", lambda **fields: changed.update(fields))
    shown = scene(ViewState(query=7, view="lines", special="hide"))
    image = picture(shown)
    panel._pick(("key", 4), lines(shown, image), image)
    assert changed == {"key": 5, "lines_lock": "key"}, "positions of the sentence, not of the picture"
    changed.clear()
    panel._pick(("query", 6), lines(shown, image), image)
    assert changed == {"lines_lock": "none"}


def test_whose_lines_stand_out_is_in_the_link():
    assert packed(opened(view="lines", query="7"), "lines")[0]["locked"] == {"side": "query", "index": 7}
    by_key = opened(view="lines", query="7", key="5", **{"lines.lock": "key"})
    assert packed(by_key, "lines")[0]["locked"] == {"side": "key", "index": 5}
    assert packed(opened(view="lines", **{"lines.lock": "none"}), "lines")[0]["locked"] is None


def test_heads_beside_are_chosen_on_the_page_and_stay_in_the_address():
    app = opened(view="lines", head="4")
    (box,) = [box for box in app.multiselect if box.label == "Heads beside it"]
    box.set_value([0, 11]).run()
    names = [strand["name"] for strand in packed(checked(app), "lines")[0]["strands"]]
    assert names == ["H4", "H0", "H11"]
    assert "Heads are named where their heaviest line ends." in html(app)


def test_heads_there_are_not_and_too_many_are_told():
    app = opened(view="lines", head="4", **{"lines.heads": "1.99"})
    assert "There is no H99: the model has 12 heads a layer." in told(app)
    app = opened(view="lines", head="4", **{"lines.heads": "0-11"})
    assert "Lines are drawn for 8 heads at once, not for 12." in told(app)
    assert len(packed(app, "lines")[0]["strands"]) == 8
