"""What the page makes of its address: read once, left as it is until something changes, faults told."""

import pytest

from tests.app.screen import checked, html, opened, packed, plain, unfolded


def address(app):
    return {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}


@pytest.mark.parametrize(
    "link", [{}, {"s": "I learn"}, {"s": "I learn", "layer": "99"}, {"layer": "2", "range": "log"}]
)
def test_the_address_stays_as_it_came_until_something_changes(link):
    app = opened(**link)
    assert address(app) == link
    app.selectbox(key="control.layer").set_value(1)
    checked(app.run())
    assert address(app)["layer"] == "1"
    assert {"s", "model", "head"} <= set(address(app))


PAGES = (None, *(f"../../pages/{name}.py" for name in ("masks", "block", "cost", "heads", "scaling")))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, []),
        ({"head": "0"}, []),
        ({"layer": "4"}, ["There is no layer 4: the model has 1 (layers 0–0)."]),
    ],
)
def test_a_link_that_names_no_layer_or_head_gets_one_without_a_word(page, named, said):
    app = opened(page, model="worked-example", s="I learn", **named)
    assert [plain(warning.value) for warning in app.warning] == said
    assert address(app) == {"model": "worked-example", "s": "I learn"} | named


def test_back_to_the_first_address_brings_the_first_view_back():
    app = opened()
    app.selectbox(key="control.layer").set_value(1)
    checked(app.run())
    app.query_params.clear()
    checked(app.run())
    assert app.selectbox(key="control.layer").value == 4
    assert address(app) == {}


def test_keys_that_come_twice_are_told():
    app = opened(s="I learn", layer=["1", "2"])
    assert [plain(warning.value) for warning in app.warning] == [
        "The link gives layer 2 times; the last was taken."
    ]
    assert app.selectbox(key="control.layer").value == 2


def test_a_link_that_left_its_sentence_out_says_so():
    app = opened(cut="1", layer="2")
    assert "too long for this link" in plain(app.warning[0].value)
    assert app.selectbox(key="control.layer").value == 2
    app.selectbox(key="control.layer").set_value(1)
    checked(app.run())
    assert "cut" not in address(app)


def test_the_entry_that_is_worked_out_is_in_the_link(minilm):
    link = {"s": "The bank approved the loan.", "explore.vector": "key", "explore.entry": "5"}
    largest = unfolded(opened(), "projections").selectbox(key="control.entry")
    assert largest.value == -1  # its name is "largest"
    app = opened(**link)
    assert "Here is entry 5 of k" in html(app)
    app.selectbox(key="control.entry").set_value(6)
    checked(app.run())
    assert address(app)["explore.entry"] == "6"
    app.segmented_control(key="control.vector").set_value("value")
    checked(app.run())
    assert address(app)["explore.vector"] == "value"
    assert "explore.entry" not in address(app)
    bad = opened(**(link | {"explore.entry": "40"}))
    assert "no entry 40 of the key: it has 32" in plain(bad.warning[0].value)


def test_an_emptied_box_keeps_the_last_rule():
    app = opened(mask="window:3:1")
    app.number_input(key="control.window_before").set_value(None)
    checked(app.run())
    assert "window of 3 before, 1 after" in html(app)
    unfolded(app, "masks.more")
    app.number_input(key="control.pad").set_value(None)
    checked(app.run())
    app.number_input(key="control.prefix").set_value(None)
    checked(app.run())
    assert "window of 3 before, 1 after in every layer" in html(app)


def test_an_unknown_token_says_what_it_stands_for():
    app = opened(s="The \U0001f600 bank \U0001f680 <b>")
    chips = packed(app, "tokens")[0]["chips"]
    unknown = [chip["title"] for chip in chips if chip["shown"] == "[UNK]"]
    assert len(unknown) == 2
    assert all(
        title.endswith("unknown: the vocabulary has no piece for these characters") for title in unknown
    )
    assert "stands for <bdi>\U0001f600</bdi>, <bdi>\U0001f680</bdi>: the vocabulary has no piece" in html(app)
    assert "the vocabulary has no piece" not in html(opened())
