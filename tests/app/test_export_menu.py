"""What the export menu names its files, how much it counts, and what it makes at each run of the page."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention import Settings, export
from attention.engine.masks import Causal, Keys, Own, Window
from attention.ui import export_menu, export_view
from attention.ui.scene import scene
from attention.ui.view import ViewState
from tests.app.by_hand import TEXT, ByHand
from tests.app.screen import checked, html, opened, packed, unfolded


def with_menu(**link):
    """Explore with its menu open."""
    return unfolded(opened(**link), "export.menu")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({"mask": (Causal(),)}, "causal"),
        ({"mask": (Window(2, 0),)}, "window2-0"),
        ({"mask": (Own(), Keys({1, 4})), "mask_layers": frozenset({0, 1, 5})}, "own_hide1.4_in0-1.5"),
        ({"mask_layers": frozenset({0})}, ""),
        ({"heads_off": frozenset({(2, 5), (3, 1)})}, "off2-5.3-1"),
        ({"pad": 15, "shuffled": 0}, "pad15_shuffled0"),
    ],
)
def test_a_file_s_name_says_what_was_changed(changes, expected):
    assert export_view.tag(ViewState(**changes)) == expected


VIEWS = (ViewState(), ViewState(pad=20), ViewState(model="worked-example", text="I learn", layer=0, head=0))


@pytest.mark.parametrize("view", VIEWS, ids=["minilm", "padded", "toy"])
def test_numbers_are_counted_as_they_will_be_written(view):
    shown = scene(view)
    arrays = export_view.export_view(shown).arrays
    assert export_view.n_numbers(shown) == sum(array.size for array in arrays.values())


@pytest.mark.parametrize(
    ("name", "instead"), [("JSON", "NPZ holds more."), ("NPZ", "Python has no such limit.")]
)
def test_arrays_are_offered_as_far_as_they_are_made(monkeypatch, name, instead):
    assert name not in [button.label for button in with_menu().button]
    monkeypatch.setattr(export_menu, f"MOST_{name}_NUMBERS", 100)
    (refused,) = [button for button in with_menu().button if button.label == name]
    assert refused.disabled
    assert f"{name} is made up to 100. {instead}" in refused.help


@pytest.mark.parametrize("ext", ["png", "svg", "pdf", "html"])
def test_a_picture_is_made_without_the_arrays_of_the_layer(monkeypatch, ext):
    """At 8,192 tokens all steps of a layer are ten gigabytes."""
    made = []
    monkeypatch.setattr(export_menu, "_button", lambda view, ext, make, mime: made.append((ext, make)))
    monkeypatch.setattr(export_menu, "arrays_of", lambda scene: pytest.fail("the arrays were made"))
    with_menu()
    assert len(dict(made)[ext]()) > 1000


def test_the_menu_draws_one_picture_a_run_and_none_while_it_is_shut(monkeypatch):
    made = []
    draw = export_view.picture
    monkeypatch.setattr(export_view, "picture", lambda scene: made.append(scene) or draw(scene))
    app = opened()
    assert not made
    unfolded(app, "export.menu")
    assert len(made) == 1


def test_the_menu_says_which_picture_and_whose_weights_it_gives():
    assert "The heatmap" in html(with_menu())
    assert "The lines as drawn" in html(with_menu(view="lines"))
    assert "The query against every key, by dimension" in html(with_menu(view="neurons"))
    assert "PNG, SVG and PDF draw it as a heatmap" in html(with_menu(view="table"))
    assert "the model's own weights, not renormalised" in html(with_menu(special="renormalise"))


def test_files_of_steps_say_nothing_of_words_since_they_are_between_tokens():
    shown = scene(ViewState(text="Hedgerows hide lorries.", words=True))
    assert export.filename(export_view.view_of(shown), "png").count("words") == 1
    for made in (export_view.view_of(shown, "steps"), export_view.export_view(shown)):
        assert "words" not in export.filename(made, "json")
        assert made.picture.values.shape == shown.head.weights.shape
        assert "pieces" not in made.picture.note
    assert "This view in Python, between tokens" in html(with_menu(s="Hedgerows hide lorries.", words="1"))


PARTS = {"head": "H4_weights", "sentence": "H4_sentence", "steps": "H4_step-strip", "sheet": "all-heads"}


@pytest.mark.parametrize("what", PARTS)
def test_each_part_of_the_page_may_be_taken(what):
    app = with_menu()
    app.segmented_control(key="export.what").set_value(what).run()
    assert export_menu.OTHERS.get(what, "The heatmap") in html(checked(app))
    made = export_view.export_view(scene(ViewState(query=7)), what)
    assert export.filename(made, "svg").endswith(f"{PARTS[what]}.svg")
    assert b"<svg" in export.svg(made)


def test_all_heads_as_csv_are_all_heads(minilm):
    view = export_view.view_of(scene(ViewState(query=7, heads_off=frozenset({(5, 0)}))), "sheet")
    made = export.csv(export_menu.tabled(view)[0])
    rows = list(csv.DictReader(io.StringIO(made.decode("utf-8-sig").split("\r\n\r\n")[1])))
    run = minilm.run(TEXT, settings=Settings(heads_off={(5, 0)}))
    for row, (layer, head) in zip(rows, np.ndindex(6, 12), strict=True):
        weights = run.attention(layer).weights[head].double()
        entropy = -torch.xlogy(weights, weights).sum(-1).mean() / math.log(2)
        assert (int(row["layer"]), int(row["head"])) == (layer, head)
        assert float(row["mean entropy in bits"]) == pytest.approx(float(entropy), abs=1e-4)
        assert float(row["its weight"]) == pytest.approx(float(weights.max()), abs=1e-6)
        at = int(row["strongest key"].split("(")[1].rstrip(")"))
        assert at == int(weights.argmax()) % 12
        assert row["switched off"] == str((layer, head) == (5, 0))


def test_by_dimension_one_query_is_taken_and_with_any_other_part_the_whole_head():
    shown = scene(ViewState(query=7, view="neurons"))
    products = list(csv.reader(io.StringIO(export.csv(export_view.view_of(shown)).decode("utf-8-sig"))))
    assert len(products[-12:][0]) == 7 + 32
    head = replace(export_view.view_of(shown, "steps"), subject=None)
    assert head.picture.values.shape == (12, 12)


def step_tables(view):
    """The head lines of the file and its tables: name to row names, column names and numbers."""
    above, *tables = export.csv(view).decode("utf-8-sig").split("\r\n\r\n")
    found = {}
    for table in tables:
        (name, *columns), *rows = csv.reader(io.StringIO(table))
        values = np.array([[float(number) for number in row[1:]] for row in rows])
        found[name] = [row[0] for row in rows], columns, values
    return {row[0]: row[1] for row in csv.reader(io.StringIO(above))}, found


def test_the_seven_steps_as_csv_are_the_numbers_of_every_step_on_the_page(minilm):
    drawn = packed(opened(mask="causal", query="7", key="5"), "steps")
    shown = scene(ViewState(mask=(Causal(),), query=7, key=5))
    view, whose = export_menu.tabled(export_view.view_of(shown, "steps"))
    said, tables = step_tables(view)
    assert whose == "The seven steps"
    assert said["# Headlight"].startswith("the steps of one head")
    assert "# part shown" not in said
    of = ByHand(minilm, 4, 4, Settings(mask=Causal())).causal()
    z = of.weights @ of.v
    expected = {
        "X, input (query × dimension)": of.x,
        "Q, queries (query × dimension)": of.q,
        "K, keys (key × dimension)": of.k,
        "V, values (key × dimension)": of.v,
        "S, scores (query × key)": of.scores,
        "Scaled (query × key)": of.scaled,
        "Masked (query × key)": of.masked,
        "A, weights (query × key)": of.weights,
        "Z, weighted sum (query × dimension)": z,
        "ZWᴼ, handed on (query × dimension)": z @ of.w_o.T,
    }
    assert list(tables) == list(expected)
    header, arrays = drawn
    on_page = [arrays[part["array"]] for step in header["steps"] for part in step["matrices"]]
    for (name, wanted), pooled in zip(expected.items(), on_page, strict=True):
        rows, columns, values = tables[name]
        assert values.shape == wanted.shape
        np.testing.assert_allclose(values, wanted, atol=2e-4, err_msg=name)
        assert (rows[0], rows[2]) == ("0 [CLS]", "2 developer")
        assert columns[2] == ("2 developer" if name.endswith("key)") else "2")
        if pooled.shape == values.shape:
            np.testing.assert_array_equal(values.astype(np.float32), pooled)


def test_of_a_long_text_the_steps_that_are_shown_are_taken_and_the_file_says_which():
    shown = scene(ViewState(text="the cat sat " * 30, query=60, key=50))
    said, tables = step_tables(export_view.view_of(shown, "steps"))
    assert said["# part shown"] == "queries 40–79 and keys 30–69 of 92"
    rows, columns, weights = tables["A, weights (query × key)"]
    assert (rows[0].split()[0], columns[0].split()[0]) == ("40", "30")
    np.testing.assert_array_equal(weights.astype(np.float32), shown.head.weights[40:80, 30:70])
    np.testing.assert_array_equal(
        tables["K, keys (key × dimension)"][2].astype(np.float32), shown.head.keys[30:70]
    )
