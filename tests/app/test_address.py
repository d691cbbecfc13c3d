"""A page whose address cannot hold the sentence says so, whether it could read the sentence or not."""

import pytest

from tests.app.screen import checked, opened, plain

SAID = "The sentence is too long for a link: the address leaves it out."
READ, REFUSED = "word " * 450, "word " * 600
PAGES = [None, "heads", "masks", "block", "scaling", "cost"]


def page(name):
    return name and f"../../pages/{name}.py"


def typed(app, text):
    (box,) = [box for box in app.text_input if box.label == "Sentence"]
    box.set_value(text)
    return checked(app.run())


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("text", [READ, REFUSED])
def test_a_sentence_that_the_address_leaves_out_is_told_once(name, text):
    app = typed(opened(page(name)), text)
    assert [plain(info.value) for info in app.info].count(SAID) == 1
    assert "s" not in app.query_params


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_said_of_one_that_fits(name):
    app = typed(opened(page(name)), "It works.")
    assert SAID not in [plain(info.value) for info in app.info]
