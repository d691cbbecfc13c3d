"""One kind of attention of an encoder–decoder changed, checked, and taken away as files and Python."""

import json
from urllib.parse import quote

import numpy as np
import pytest

from attention import Settings, masks
from attention.analysis.checks import row_sum_deviation, visible_difference
from attention.figures.numbers import share
from attention.sites import SITES
from attention.ui import export_menu, export_view
from attention.ui.scene import scene
from attention.ui.view import Changes, ViewState
from tests.app.screen import cells, checked, html, opened, plain, unfolded
from tests.app.translators import CASES, N_SOURCE, N_TARGET, SOURCE, TARGET, run, shown, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for name in CASES:
        write(place, name)
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def test_masks_and_heads_off_belong_to_the_kind_that_is_chosen(folder):
    app = unfolded(shown(site="cross"), "masks.more")
    app.multiselect(key="control.hidden").set_value([4])
    checked(app.run())
    app.selectbox(key="control.site").set_value("encoder")
    checked(app.run())
    app.multiselect(key="control.heads_off").set_value([(0, 2)])
    checked(app.run())
    settings = Settings(
        cross=Settings(mask=masks.Own() & masks.Keys({4})), encoder=Settings(heads_off={(0, 2)})
    )
    expected = run(folder, settings=settings)
    assert "L0 H2 off; cross-attention: cat (4) hidden as a key in every layer" in html(app)
    np.testing.assert_allclose(cells(app), expected.encoder.attention(1).weights[1].numpy(), atol=1e-5)
    app.selectbox(key="control.site").set_value("cross")
    checked(app.run())
    seen = cells(app)
    assert np.isnan(seen[:, 4]).all()
    np.testing.assert_allclose(np.nan_to_num(seen), expected.cross_attention(1).weights[1].numpy(), atol=1e-5)
    link = {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}
    np.testing.assert_array_equal(cells(opened(**link)), seen)
    (back,) = [button for button in app.button if button.label == "Put everything back"]
    checked(back.click().run())
    untouched = run(folder).cross_attention(1).weights[1].numpy()
    np.testing.assert_allclose(cells(app), untouched, atol=1e-5)
    assert not {"mask", "elsewhere", "off"} & set(app.query_params)


def test_what_moved_is_told_of_the_tokens_that_look(folder):
    app = shown(site="encoder", off="0-2")
    before, after = (
        run(folder).encoder.final,
        run(folder, settings=Settings(encoder=Settings(heads_off={(0, 2)}))),
    )
    a, b = before.numpy().astype(float), after.encoder.final.numpy().astype(float)
    moved = 1 - (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert f"the largest 6 of {N_SOURCE}" in html(app)
    assert f"<span>{moved.max():.3f}</span>" in html(app).split("moved each final vector")[1]


def test_each_kind_has_the_masks_that_mean_something_there():
    keys = {site: [toggle.key for toggle in shown(site=site).toggle] for site in SITES}
    assert "control.full" in keys["self"]
    assert "control.causal" not in keys["self"]
    assert {"control.causal", "control.window"} <= set(keys["encoder"])
    assert not {"control.causal", "control.full", "control.window"} & set(keys["cross"])
    assert "its own mask: causal mask" in html(shown(site="self"))
    assert "cross-attention · no mask" in html(shown(site="cross"))
    assert "control.window" in [toggle.key for toggle in shown(site="cross", mask="window:1:1").toggle]


def test_checks_cover_all_three(folder):
    said, of = html(shown(site="cross")), run(folder)
    for site in SITES:
        assert f"rows sum to 1 within {share(row_sum_deviation(of, site))}" in said
        assert f"differ by {share(visible_difference(of, site))} at most" in said
    assert said.count("rows sum to 1") == 3


def test_padding_is_the_source_s():
    app = shown(site="cross", pad="14")
    seen = cells(app)
    assert seen.shape == (N_TARGET, 14)
    assert np.isnan(seen[:, N_SOURCE:]).all()
    assert not np.isnan(seen[:, :N_SOURCE]).any()


@pytest.mark.parametrize(
    ("site", "target"), [("self", TARGET), ("cross", TARGET), ("encoder", TARGET), ("cross", None)]
)
def test_the_script_gives_the_numbers_on_the_page(site, target):
    changes = Changes(heads_off=frozenset({(0, 2)}))
    view = ViewState(
        text=SOURCE, target=target, model="tiny t5", layer=1, head=1, heads_off=frozenset({(0, 0)})
    )
    of = scene(view.at("encoder").changed_to(changes).at(site))
    lines = export_view.export_view(of).script
    scope = {}
    exec(lines, scope)
    np.testing.assert_allclose(scope["weights"].numpy(), of.head.weights, atol=1e-5)


@pytest.mark.parametrize("site", SITES)
def test_files_hold_both_sequences(site):
    of = scene(ViewState(text=SOURCE, target=TARGET, model="tiny t5", site=site, layer=1, head=1))
    view = export_view.export_view(of)
    assert export_view.n_numbers(of) == sum(array.size for array in view.arrays.values())
    assert (view.site, len(view.tokens)) == (site, N_SOURCE if site == "encoder" else N_TARGET)
    np.testing.assert_allclose(view.arrays["weights"][1], of.head.weights, atol=1e-5)
    read = json.loads(export_menu.export.json(view))
    assert ("resid_crossed" in read["arrays"]) == (site != "encoder")
    assert ("key_tokens" in read["arrays"]) == (site == "cross")
    if site == "cross":
        assert read["arrays"]["key_tokens"]["values"][:3] == ["the", "dog", "chased"]
        assert np.array(read["arrays"]["key_input"]["values"]).shape == (N_SOURCE, 15)
    for make in (export_menu.export.csv, export_menu.export.png, export_menu.export.html):
        assert len(make(view)) > 1000


def test_a_kind_of_attention_that_a_model_lacks_is_told():
    app = opened(s="I learn", site="cross", target=quote("ich lerne"))
    assert [plain(warning.value) for warning in app.warning] == [
        "minilm is not an encoder–decoder: it takes no target.",
        "This model has no cross-attention; what a link says of it was ignored.",
    ]
    assert "control.site" not in [box.key for box in app.selectbox]
    app.selectbox(key="control.layer").set_value(1)
    assert not checked(app.run()).warning
    assert not {"site", "target"} & set(app.query_params)


def test_another_model_keeps_the_sentence_and_lets_the_target_go():
    app = shown(site="cross")
    app.selectbox(key="control.model").set_value("minilm")
    checked(app.run())
    assert app.text_input(key="control.text").value == SOURCE
    assert not app.warning
    assert not {"site", "target"} & set(app.query_params)
