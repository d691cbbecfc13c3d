"""The worked example as AppTest sees it; numbers are reckoned here and read off the page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention.figures.labels import plain_label
from attention.ui.worked.desk import Desk, typed
from tests.app.screen import checked, html, markup, numbers, opened, packed

PAGE = "../../pages/worked_example.py"


def page(**params):
    return opened(PAGE, **{f"worked.{key}": text for key, text in params.items()})


def tables(app):
    """Caption → the texts of the board's cells, row by row."""
    board = markup(app, "worked.board")
    return {
        re.search("<caption>(.*?)</caption>", table)[1]: [
            re.findall(r"<td[^>]*>(.*?)</td>", row)
            for row in re.findall("<tr.*?</tr>", table.split("<tbody>")[1])
        ]
        for table in re.findall(r"<table.*?</table>", board)
    }


def change(app, make):
    """What an editor's callback does, which AppTest cannot set off: it has no data editor."""
    app.session_state["worked.desk"] = make(app.session_state["worked.desk"])
    return checked(app.run())


def param(app, key):
    """A value of the address bar; AppTest holds a list until the page has written."""
    value = app.query_params[key]
    return value if isinstance(value, str) else value[0]


def errors(app):
    return [element.value for element in app.error]


def said(app):
    return re.sub("<[^>]+>", "", html(app))


def test_it_starts_with_two_tokens_and_the_identity():
    shown = tables(page())
    assert shown["Input"] == shown["Queries, keys, values, Q"] == [["1", "0"], ["0", "1"]]
    assert shown["Scores"] == [["1", "0"], ["0", "1"]]
    assert shown["Scaled"] == shown["Masked"] == [["0.707", "0"], ["0", "0.707"]]
    assert shown["Weights"] == shown["Weighted sum"] == [["0.670", "0.330"], ["0.330", "0.670"]]


def test_an_emptied_size_keeps_its_number():
    app = page(n="3")
    app.number_input(key="worked.n").set_value(None)
    assert checked(app.run()).number_input(key="worked.n").value == 3
    assert len(tables(app)["Input"]) == 3


def test_the_sentence_is_lit_by_the_query():
    app = page()
    header, arrays = packed(app, "worked.tokens")
    assert [chip["shown"] for chip in header["chips"]] == ["I", "learn"]
    row = np.exp([0, 0.5**0.5])
    np.testing.assert_allclose(arrays["weights"][1], row / row.sum(), rtol=1e-6)
    assert "learn mixes learn 0.670, I 0.330." in said(app)


def test_the_causal_mask_hides_what_comes_after():
    app = page()
    app.toggle(key="worked.causal").set_value(True)
    shown = tables(checked(app.run()))
    assert shown["Masked"] == [["0.707", "−∞"], ["0", "0.707"]]
    assert shown["Weights"] == [["1", "0"], ["0.330", "0.670"]]
    assert param(app, "worked.mask") == "causal"


@pytest.mark.parametrize("size", [1, 6])
def test_the_smallest_and_the_largest(size):
    app = page()
    for name in ("n", "d", "dk", "dv"):
        app.number_input(key=f"worked.{name}").set_value(size)
        checked(app.run())
    shown = tables(app)
    one = np.exp(size**-0.5)
    diagonal = one / (one + size - 1)
    for row, cells in enumerate(shown["Weights"]):
        assert len(cells) == size
        assert float(cells[row]) == pytest.approx(diagonal, abs=5e-4)
    assert len(tables(app)) == 9


def test_this_cell_is_reckoned_with_its_own_operands():
    app = page(x="1,2;-3,0.5", q="2,0;1,1", k="0,1;1,-1", v="1,0;0,1", query="0", key="1")
    x, w_q, w_k = np.array([[1, 2], [-3, 0.5]]), np.array([[2, 0], [1, 1]]), np.array([[0, 1], [1, -1]])
    scores = (x @ w_q) @ (x @ w_k).T
    scaled = scores[0] / 2**0.5
    exps = np.exp(scaled - scaled.max())
    expected = [scores[0, 1], scaled[1], scaled[1] - scaled.max(), exps[1], exps[1] / exps.sum()]
    np.testing.assert_allclose(numbers(markup(app, "worked.chain")), expected, atol=6e-4)
    products = (x @ w_q)[0] * (x @ w_k)[1]
    assert [float(cell.replace("−", "-")) for cell in cells_of(app, "q × k")[:2]] == products.tolist()
    assert "I looks at learn" in said(app)


def cells_of(app, name):
    row = re.search(rf'<th scope="row"><i>{name}</i></th>(.*?)</tr>', html(app))[1]
    return re.findall(r"<td[^>]*>(.*?)</td>", row)


def test_a_preset_makes_its_point():
    app = page()
    app.button(key="example-equal").click()
    assert tables(checked(app.run()))["Weights"] == [["0.250"] * 4] * 4
    assert "shares evenly" in said(app)
    app.button(key="example-large").click()
    assert tables(checked(app.run()))["Weights"] == [["0.999", "0.001"], ["0.001", "0.999"]]


def test_words_are_tokens():
    app = page()
    app.text_input(key="worked.words").set_value("the cat saw the dog")
    shown = tables(checked(app.run()))
    assert len(shown["Scores"]) == 5
    assert app.number_input(key="worked.n").value == 5
    assert param(app, "worked.words") == "the cat saw the dog"


def test_too_many_words_are_told_and_kept():
    app = page()
    app.text_input(key="worked.words").set_value("a b c d e f g")
    checked(app.run())
    assert errors(app) == ["The sentence has 7 words; at most 6 fit here."]
    assert app.text_input(key="worked.words").value == "a b c d e f g"
    assert len(tables(app)["Scores"]) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("abc", "W_Q, row 0, column 1: “abc” is not a number."),
        ("", "W_Q, row 0, column 1 is empty: type a number there, 0 for none."),
        ("inf", "W_Q, row 0, column 1 is infinite: a cell takes finite numbers only."),
        ("9e9", "W_Q, row 0, column 1: “9e9” is too large: at most 1,000 above or below zero."),
    ],
)
def test_a_bad_cell_gets_one_sentence_and_the_page_keeps_its_last_numbers(text, told):
    app = change(page(), lambda desk: typed(desk, "q", (("3", "0"), ("0", "1"))))
    before = tables(app)
    app = change(app, lambda desk: typed(desk, "q", (("3", text), ("0", "1"))))
    (sentence,) = errors(app)
    assert sentence.startswith(told)
    assert "last numbers that could all be read" in sentence
    assert "the last numbers that could all be read" in said(app)
    assert tables(app) == before
    assert app.session_state["worked.desk"].cells["q"][0][1] == text
    app = change(app, lambda desk: typed(desk, "q", (("3", "1"), ("0", "1"))))
    assert not errors(app)
    assert tables(app)["Queries, keys, values, Q"] == [["3", "1"], ["0", "1"]]


def test_many_bad_cells_are_told_in_one_box():
    bad = (("a", "b"), ("c", "d"))
    app = change(page(), lambda desk: typed(typed(desk, "q", bad), "k", bad))
    (box,) = errors(app)
    assert box.count("is not a number") == 4
    assert "4 more cells cannot be read." in box


def test_a_change_of_size_keeps_what_was_typed():
    app = change(page(), lambda desk: typed(desk, "q", (("abc", "0"), ("0", "7"))))
    app.number_input(key="worked.dk").set_value(3)
    checked(app.run())
    assert app.session_state["worked.desk"].cells["q"] == (("abc", "0", "0"), ("0", "7", "0"))
    assert len(errors(app)) == 1
    assert tables(app)["Scores"] == [["1", "0"], ["0", "1"]]


def test_everything_can_be_put_back():
    app = page(n="3", mask="causal", x="1,2;3,4;5,6", query="2", key="2")
    (back,) = [button for button in app.button if button.label == "Put everything back"]
    back.click()
    checked(app.run())
    assert tables(app)["Weights"] == [["0.670", "0.330"], ["0.330", "0.670"]]
    assert not [button for button in app.button if button.label == "Put everything back"]
    assert not [key for key in app.query_params if key.startswith("worked.")]


def test_a_link_opens_its_numbers_and_leaves_the_keys_of_others():
    app = opened(
        PAGE,
        **{"worked.n": "3", "worked.q": "1,0;0,2", "worked.mask": "causal", "s": "Hello", "heads.x": "1"},
    )
    assert app.number_input(key="worked.n").value == 3
    assert app.toggle(key="worked.causal").value
    assert tables(app)["Queries, keys, values, Q"] == [["1", "0"], ["0", "2"], ["0", "0"]]
    assert param(app, "heads.x") == "1"
    assert param(app, "worked.q") == "1,0;0,2"
    again = page(
        **{
            key.removeprefix("worked."): param(app, key)
            for key in app.query_params
            if key.startswith("worked.")
        }
    )
    assert tables(again) == tables(app)


def test_bad_values_of_a_link_are_told_one_by_one_until_something_is_changed():
    app = page(n="9", q="1,0;0,x", mask="causal")
    assert [element.value for element in app.warning] == [
        "The link’s worked.n was ignored: “9” is no whole number from 1 to 6.",
        "The link’s worked.q was ignored: W_Q, row 1, column 1: “x” is not a number.",
    ]
    assert tables(app)["Weights"][0] == ["1", "0"]
    app.toggle(key="worked.causal").set_value(False)
    assert not checked(app.run()).warning


def test_the_row_and_the_weights_below():
    app = page()
    assert cells_of(app, "exp x ÷ sum") == ["0.130", "0.476", "0.106", "0.289", "1.000"]
    assert "0.130, 0.476, 0.106, 0.289" in said(app)
    assert "(0.650, 0.600, 0.450)" in said(app)
    assert "The weights add up to 1." in said(app)
    app = change(app, lambda desk: typed(desk, "row", (("0", "0", "0", "x"),)))
    assert errors(app)[0].startswith("Softmax row, row x, column key 3: “x” is not a number.")
    assert cells_of(app, "exp x ÷ sum")[1] == "0.476"
    app = change(app, lambda desk: typed(desk, "row", (("0", "0", "0", "0"),)))
    assert cells_of(app, "exp x ÷ sum") == ["0.250"] * 4 + ["1.000"]


def test_weights_that_do_not_sum_to_one_are_told_and_not_mended():
    app = change(
        page(), lambda desk: typed(desk, "mix", (("0.2", *desk.cells["mix"][0][1:]), *desk.cells["mix"][1:]))
    )
    assert "These weights add up to 1.100, not to 1." in said(app)
    assert "(0.750, 0.600, 0.650)" in said(app)


def test_sixty_four_dimensions_divide_by_eight():
    app = page()
    assert "√64 = 8" in said(app)
    assert cells_of(app, "scores ÷ 8") == ["1", "0", "−1"]
    shares = np.exp([1, 0, -1]) / np.exp([1, 0, -1]).sum()
    assert all(f">{share:.3f}</td>" in html(app) for share in shares)


def test_editors_that_streamlit_forgot_start_from_the_desk():
    """Whoever comes back from another page: the editors' own changes are gone, what was typed is not."""
    app = page()
    desk = typed(Desk(edition=5), "q", (("2", "oops"), ("0", "1")))
    app.session_state["worked.desk"] = desk
    checked(app.run())
    held = app.session_state["worked.desk"]
    assert held.edition > desk.edition
    assert held.base["q"] == held.cells["q"] == (("2", "oops"), ("0", "1"))


def test_an_unfinished_desk_is_never_a_traceback():
    app = change(
        page(), lambda desk: replace(typed(desk, "x", (("1e-300", "1000"), ("-1000", "0"))), causal=True)
    )
    assert not app.exception
    assert "not a number" not in said(app)


@pytest.mark.parametrize(
    "words", ["the the", "<b>bold</b> $x$", "**a** `b`", "=1+1 :smile:", "a\u202eb \u200d"]
)
def test_any_two_words_can_be_tokens(words):
    app = page(words=words)
    assert not app.warning
    assert len(tables(app)["Scores"]) == 2
    header, _ = packed(app, "worked.tokens")
    assert [chip["shown"] for chip in header["chips"]] == [plain_label(word) for word in words.split()]
    assert "<b>bold" not in html(app) + markup(app, "worked.board")
    app = change(app, lambda desk: typed(desk, "x", (("1", "0"), ("0", "?"))))
    assert len(errors(app)) == 1


def test_a_link_with_an_endless_sentence_is_told():
    app = page(words="a" * 5000)
    assert "5,000 characters; at most 200" in app.warning[0].value
    assert app.text_input(key="worked.words").value == "I learn"


@pytest.mark.parametrize(
    "link", [{"worked.n": "3", "worked.d": "3"}, {"worked.words": "Cats", "worked.n": "1"}]
)
def test_numbers_of_a_link_are_not_called_the_reader_s_own(link):
    said = html(opened(PAGE, **link))
    assert "Change a cell and <b>notice</b> which steps change with it" in said
    assert "your own numbers" not in said
