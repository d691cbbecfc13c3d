"""Lines, neurons, light and files where queries and keys are tokens of two sequences."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from attention import export
from attention.ui import export_view
from attention.ui.scene import scene
from attention.ui.subjects import WHAT
from attention.ui.view import ViewState
from tests.app.screen import markup, opened, packed
from tests.app.test_translators import N_SOURCE, N_TARGET, across_by_hand
from tests.app.translators import SOURCE, TARGET, write

VIEW = {
    "s": SOURCE,
    "target": TARGET,
    "model": "tiny t5",
    "site": "cross",
    "layer": "1",
    "head": "1",
    "query": "3",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    write(place, "tiny t5")
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def number(text):
    return float(text.replace("−", "-"))


def test_lines_go_from_the_target_to_the_source(folder):
    *_, weights = across_by_hand(folder, 1, 1)
    header, arrays = packed(
        opened(**VIEW, view="lines", **{"lines.mass": "100", "lines.heads": "0"}), "lines"
    )
    assert (len(header["query_labels"]), len(header["key_labels"])) == (N_TARGET, N_SOURCE)
    drawn = np.zeros((N_TARGET, N_SOURCE))
    for head, query, key, weight in arrays["lines"]:
        if header["strands"][int(head)]["name"] == "H1":
            drawn[int(query), int(key)] = weight
    np.testing.assert_allclose(drawn, weights, atol=5e-6)


def test_each_key_of_the_source_has_its_products(folder):
    q, k, v, weights = across_by_hand(folder, 1, 1)
    table = ET.fromstring(markup(opened(**VIEW, view="neurons"), "neurons"))
    rows = [row for row in table.iter("tr") if "data-row" in row.attrib]
    assert len(rows) == N_SOURCE
    said = np.array([[number(cell.text) for cell in row.findall("td")[1:]] for row in rows]).T
    # T5 does not scale: raw and scaled score are one number, and still stand in two columns.
    lengths = weights[3] * np.linalg.norm(v, axis=1)
    np.testing.assert_allclose(said, [q[3] @ k.T, q[3] @ k.T, weights[3], lengths], atol=6e-4)
    products = [[number(title.text.rpartition(" = ")[2]) for title in row.iter("title")] for row in rows]
    np.testing.assert_allclose(products, q[3] * k, atol=1e-4)


def test_a_bias_stands_between_scaled_score_and_weight():
    table = ET.fromstring(markup(opened(**VIEW | {"site": "self"}, view="neurons"), "neurons"))
    heads = ["".join(head.itertext()) for head in table.find(".//thead/tr")]
    assert heads[2:] == ["raw score", "scaled, × 1", "biased", "weight α", "α‖v‖"]
    (row,) = [row for row in table.iter("tr") if row.get("data-row") == "2"]
    scaled, biased = (number(row.findall("td")[at].text) for at in (2, 3))
    assert scaled != biased


def test_the_source_is_lit_by_what_each_of_its_tokens_receives(folder):
    *_, weights = across_by_hand(folder, 1, 1)
    _, arrays = packed(opened(**VIEW, strip="receives"), "source")
    np.testing.assert_allclose(arrays["weights"], weights.mean(axis=0), atol=5e-6)


@pytest.mark.parametrize("view", ["lines", "neurons"])
@pytest.mark.parametrize("what", WHAT)
def test_every_part_becomes_a_file(what, view):
    shown = scene(
        ViewState(
            text=SOURCE, target=TARGET, model="tiny t5", site="cross", layer=1, head=1, query=3, view=view
        )
    )
    file = export.svg(export_view.export_view(shown, what)).decode()
    assert "cross" in export.filename(export_view.export_view(shown, what), "svg")
    written = {
        "".join(text.itertext()) for text in ET.fromstring(file).iter("{http://www.w3.org/2000/svg}text")
    }
    source, target = {"dog", "chased", "because"}, {"Hund", "jagte", "Katze"}
    wanted = {
        "head": source | (target if view == "lines" else set()),
        "sentence": source,
        "steps": target,
        "sheet": {"L0", "H0"},
    }[what]
    assert wanted <= written
