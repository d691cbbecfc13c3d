"""Predict first: what is hidden is nowhere on the page until a guess was typed, and the verdict is right."""

import re

import numpy as np
import pytest

from tests.app.screen import checked, component, html, numbers, opened, packed, plain
from tests.app.test_worked_example import PAGE, errors, page, param, said, tables

GIVEN = {
    "x": "1,2.13;-0.7,0.57",
    "q": "2,0;1,1",
    "k": "0,1;1,-1",
    "v": "1.5,0;0.25,2.9",
    "query": "0",
    "key": "1",
}
X = np.array([[1, 2.13], [-0.7, 0.57]])
Q = X @ [[2, 0], [1, 1]]
K = X @ [[0, 1], [1, -1]]
V = X @ [[1.5, 0], [0.25, 2.9]]
SCORES = Q @ K.T
SCALED = SCORES / 2**0.5
EXPS = np.exp(SCALED - SCALED.max(axis=1, keepdims=True))
WEIGHTS = EXPS / EXPS.sum(axis=1, keepdims=True)
TRUE = {"scores": SCORES, "scaled": SCALED, "weights": WEIGHTS, "output": WEIGHTS @ V}
ORDER = ("scores", "scaled", "weights", "output")
NAMES = {"scores": "Scores", "scaled": "Scaled", "weights": "Weights", "output": "Weighted sum"}


def guess(app, text):
    app.text_input(key="worked.guess").set_value(text)
    return checked(app.run())


def everything(app):
    """All that the server has sent for this page, as one string."""
    elements = [element.proto for element in app.main if hasattr(element, "proto")]
    sidebar = [element.proto for element in app.sidebar if hasattr(element, "proto")]
    return "\n".join(map(str, [*elements, *sidebar])) + html(app)


def forms(matrix):
    """Every way in which the page writes the numbers of a matrix, as far as they are not whole or plain."""
    texts = set()
    for x in np.abs(matrix).ravel().tolist():
        texts |= {f"{x:.{digits}f}".removeprefix("0") for digits in (3, 4) if round(x, 3) != round(x, 1)}
    return texts


@pytest.mark.parametrize("step", ORDER)
def test_the_step_and_all_after_it_are_hidden_and_the_others_are_not(step):
    shown = tables(page(**GIVEN, predict=step))
    for at, name in enumerate(ORDER):
        cells = np.ravel(shown[NAMES[name]]).tolist()
        assert (set(cells) == {"?"}) == (at >= ORDER.index(step))
    assert (set(np.ravel(shown["Masked"])) == {"?"}) == (step in ("scores", "scaled"))


@pytest.mark.parametrize("step", ORDER)
def test_no_hidden_number_reaches_the_browser(step):
    app = page(**GIVEN, predict=step)
    hidden = [TRUE[name] for name in ORDER[ORDER.index(step) :]]
    sent = re.sub(r'style="[^"]*"', "", everything(app))
    for matrix in hidden:
        for form in forms(matrix):
            assert not re.search(rf"(?<!\d){re.escape(form)}(?!\d)", sent), form
    keys = {element.key for element in app.get("bidi_component")}
    assert ("worked.chain" in keys) == (step == "output")
    assert "worked.mix_table" not in keys
    _, arrays = packed(app, "worked.tokens")
    assert ("weights" in arrays) == (step == "output")
    assert "looks" in said(app)
    assert not app.get("download_button")
    assert "the menu comes back after your guess" in said(app)
    assert "background:#" not in re.search("Weighted sum.*", component(app, "worked.board").json)[0]


def test_the_check_for_leaks_sees_the_numbers_when_they_are_shown():
    sent = everything(page(**GIVEN))
    assert all(any(form in sent for form in forms(TRUE[step])) for step in ORDER)


@pytest.mark.parametrize("step", ORDER)
def test_a_guess_is_measured_against_the_engine_s_number_and_shows_all(step):
    app = guess(page(**GIVEN, predict=step), "0.25")
    true = TRUE[step][0, 1]
    (line,) = [text for text in html(app).split("\n") if "You guessed" in text]
    assert numbers(line) == pytest.approx([true], abs=0.006 if abs(true) >= 10 else 6e-4)
    how_far = re.sub("<[^>]+>", "", line).rpartition(": ")[2]
    apart = 0.25 - true
    assert how_far.startswith(f"{abs(apart):.3g}")
    assert how_far.rstrip(".").endswith("too high" if apart > 0 else "too low")
    assert "?" not in np.ravel([cells for table in tables(app).values() for cells in table])
    assert len(app.get("download_button")) == 7


def test_a_guess_right_to_two_digits_is_right():
    true = TRUE["weights"][1, 0]
    app = guess(page(**{**GIVEN, "query": "1", "key": "0"}, predict="weights"), f"{true:.2f}")
    assert "right to two digits" in said(app)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a third", "Your guess “a third” is not a number."),
        ("0,3", "Your guess “0,3” is not a number. Write 0.3 with a point."),
        ("inf", "Your guess is infinite: a cell takes finite numbers only."),
    ],
)
def test_a_guess_that_cannot_be_read_is_told_kept_and_shows_nothing(text, told):
    app = guess(page(**GIVEN, predict="weights"), text)
    assert [plain(sentence) for sentence in errors(app)] == [told]
    assert app.text_input(key="worked.guess").value == text
    assert set(np.ravel(tables(app)["Weights"])) == {"?"}


def test_the_question_names_the_cell_and_another_one_can_be_asked():
    app = page(predict="weights", n="3")
    assert app.text_input(key="worked.guess").label == "How much weight does learn give to I?"
    (button,) = [button for button in app.button if button.label == "Another cell"]
    button.click()
    label = checked(app.run()).text_input(key="worked.guess").label
    assert label != "How much weight does learn give to I?"
    query = int(param(app, "worked.query")) if has(app, "query") else 1
    key = int(param(app, "worked.key")) if has(app, "key") else 0
    words = ("I", "learn", "from")
    assert label == f"How much weight does {words[query]} give to {words[key]}?"


def has(app, name):
    return f"worked.{name}" in app.query_params


def test_other_numbers_want_another_guess():
    app = guess(page(predict="weights"), "0.5")
    assert "You guessed" in said(app)
    app.toggle(key="worked.causal").set_value(True)
    assert set(np.ravel(tables(checked(app.run()))["Weights"])) == {"?"}
    assert app.text_input(key="worked.guess").value == ""


def test_the_switch_is_in_the_link_and_off_shows_all():
    app = page()
    app.segmented_control(key="worked.predict").set_value("scores")
    assert param(checked(app.run()), "worked.predict") == "scores"
    app.segmented_control(key="worked.predict").set_value("")
    assert tables(checked(app.run()))["Scores"] == [["1", "0"], ["0", "1"]]
    assert not has(app, "predict")
    told = page(predict="masked").warning[0].value
    assert told.startswith("The link’s worked.predict was ignored: “masked” is not one of scores, scaled")


def test_unknown_keys_of_the_link_are_told_and_leave_the_address():
    app = opened()
    app.switch_page(PAGE)
    app.query_params.clear()
    for key, text in {"foo": "1", "s": "Hello", "heads.x": "1", "layer": "abc"}.items():
        app.query_params[key] = text
    checked(app.run())
    told = [element.value for element in app.warning]
    assert len(told) == 2
    assert any("foo" in sentence for sentence in told)
    assert any("layer" in sentence for sentence in told)
    assert "foo" not in app.query_params
    assert param(app, "s") == "Hello"


def test_an_output_narrower_than_the_keys_is_asked_by_its_nearest_dimension():
    app = page(n="3", dv="1", query="2", key="2", predict="output")
    assert app.text_input(key="worked.guess").label == "What does from take away in dimension 0?"
    app = guess(app, "0")
    weights = np.exp([0, 0, 0]) / 3
    assert numbers(next(text for text in html(app).split("\n") if "You guessed" in text)) == pytest.approx(
        [weights[0]], abs=6e-4
    )
