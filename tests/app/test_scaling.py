"""Why √d_k: every number on the page is read off it and drawn or computed again."""

import base64
import json
import math
import re

import numpy as np
import pytest
import torch

from attention import Settings, load, masks
from tests.app.screen import checked, html, matrix, opened, plain

PAGE = "../../pages/scaling.py"
SIZES = [4, 8, 16, 32, 64, 128, 256, 512, 1024]


def scaling(**params):
    return opened(PAGE, **{key.replace("__", "."): text for key, text in params.items()})


def picture(app, name):
    """The traces of one picture by name."""
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.scaling-{name}.figure"]
    return {plain(trace["name"]): trace for trace in json.loads(chart.proto.spec)["data"]}


def row(trace, axis="y"):
    """The numbers of a chart's series."""
    values = trace[axis]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def note(app):
    """The sentence above the first pictures."""
    return re.search(r'<div class="note">(Random.*?)</div>', html(app))[1]


def caption(app, beginning):
    return next(text for text in re.findall(r'<div class="cap">(.*?)</div>', html(app)) if beginning in text)


def scores(d_k, seed, n_rows=4000, n_keys=16):
    """The page's random vectors drawn again, in the strips that bound its memory."""
    generator, strips = torch.Generator().manual_seed(seed), []
    strip = max(1, 2**21 // (n_keys * d_k))
    for start in range(0, n_rows, strip):
        n = min(strip, n_rows - start)
        q = torch.randn(n, 1, d_k, generator=generator).numpy().astype(np.float64)
        k = torch.randn(n, n_keys, d_k, generator=generator).numpy().astype(np.float64)
        strips.append((q * k).sum(axis=2))
    return np.concatenate(strips)


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gradients(p):
    """‖diag(p) − ppᵀ‖ of each row, from the matrix itself."""
    columns = p.shape[1]
    off = -p[:, :, None] * p[:, None, :]
    off[:, range(columns), range(columns)] = 0
    off[:, range(columns), range(columns)] = -off.sum(axis=2)  # rows of J sum to 0
    return np.sqrt((off**2).sum(axis=(1, 2)))


@pytest.mark.parametrize(("d_k", "seed"), [(64, 0), (1024, 7)])
def test_the_first_sentence_and_rows_are_those_of_vectors_drawn_again(d_k, seed):
    app = scaling(scaling__d=str(d_k), scaling__seed=str(seed))
    s = scores(d_k, seed)
    raw, scaled = softmax(s), softmax(s / math.sqrt(d_k))
    said = [float(text.replace(",", "")) for text in re.findall(r"<b>([^<]*)</b>", note(app))]
    expected = [d_k, s.var(), raw.max(axis=1).mean(), (s / math.sqrt(d_k)).var(), scaled.max(axis=1).mean()]
    assert said == pytest.approx(expected, abs=0.051)
    assert said[2:] == pytest.approx(expected[2:], abs=0.0051)
    np.testing.assert_allclose(matrix(picture(app, "rows-raw")["values"]), raw[:8], atol=1e-4)
    np.testing.assert_allclose(matrix(picture(app, "rows-scaled")["values"]), scaled[:8], atol=1e-4)


def test_every_chart_is_drawn_from_the_same_vectors():
    app = scaling(scaling__seed="3")
    drawn = {d_k: scores(d_k, 3) for d_k in SIZES}
    variance = picture(app, "variance")
    assert row(variance["q · k"], "x").tolist() == SIZES
    np.testing.assert_allclose(row(variance["q · k"]), [s.var() for s in drawn.values()], rtol=1e-3)
    assert row(variance["theory: dₖ"]).tolist() == SIZES
    assert row(variance["theory: 1"]).tolist() == [1] * 9
    raw = [softmax(s) for s in drawn.values()]
    scaled = [softmax(s / math.sqrt(d_k)) for d_k, s in drawn.items()]
    for name, measure in {
        "largest": lambda p: p.max(axis=1).mean(),
        "entropy": lambda p: -(p * np.log2(p, where=p > 0, out=np.zeros_like(p))).sum(axis=1).mean(),
        "dead": lambda p: (gradients(p) < 1e-3).mean(),
    }.items():
        found = picture(app, name)
        for series, rows in (("q · k as it comes", raw), ("÷ √dₖ", scaled)):
            np.testing.assert_allclose(row(found[series]), [measure(p) for p in rows], atol=2e-3)
    gradient = picture(app, "gradient")
    for series, measure, rows in (
        ("median row, as it comes", np.median, raw),
        ("mean, as it comes", np.mean, raw),
        ("median row, ÷ √dₖ", np.median, scaled),
    ):
        np.testing.assert_allclose(row(gradient[series]), [measure(gradients(p)) for p in rows], rtol=2e-2)


def test_entropy_is_in_bits_as_on_every_other_page():
    app = scaling()
    even = picture(app, "entropy")["even: log₂ 16"]
    assert row(even).tolist() == [4.0] * len(SIZES)
    p = softmax(scores(64, 0) / 8)
    said = re.search(r"In bits: <b>[^<]*</b> as it comes, <b>([^<]*)</b> when scaled", html(app))[1]
    assert float(said) == pytest.approx(-(p * np.log2(p)).sum(axis=1).mean(), abs=2e-3)
    assert not re.search(r"\bnats\b", html(app))


def test_the_histogram_is_that_of_the_chosen_size():
    app = scaling(scaling__d="32")
    s = scores(32, 0)
    for name, wide in (("scores-raw", math.sqrt(32)), ("scores-scaled", 1.0)):
        found = picture(app, name)
        assert list(found) == ["dₖ = 32", "dₖ = 16", "dₖ = 1,024"]
        bars = found["dₖ = 32"]
        assert bars["type"] == "bar"
        edges = np.linspace(-3.5, 3.5, 26) * wide
        counts, _ = np.histogram(s * wide / math.sqrt(32), edges)
        np.testing.assert_allclose(row(bars, "x"), (edges[1:] + edges[:-1]) / 2, atol=1e-5)
        np.testing.assert_allclose(row(bars), counts / s.size / np.diff(edges), atol=2e-4 / wide)


def test_what_is_said_of_the_gradient_is_what_was_measured():
    app = scaling()
    first, last = scores(4, 0), scores(1024, 0)
    expected = [
        gradients(softmax(first / 2)).mean(),
        gradients(softmax(last / 32)).mean(),
        gradients(softmax(first)).mean(),
        gradients(softmax(last)).mean(),
    ]
    # the page's words "Notice" stand between, in bold too
    text = re.sub("<b>Notice</b>", "", caption(app, "Scaling makes the gradient"))
    *means, median = (float(one.replace("−", "-")) for one in re.findall(r"<b>([^<]*)</b>", text))
    assert means == pytest.approx(expected, abs=6e-4)
    assert median == pytest.approx(np.median(gradients(softmax(last))), rel=2e-2)
    assert means[2] > means[0]  # "it does not make it largest"
    assert abs(means[0] - means[1]) < 0.01  # "nearly independent"


def test_dead_rows_are_said_for_the_chosen_size():
    app = scaling(scaling__d="256")
    raw, scaled = (float(text) for text in re.findall(r"<b>([\d.]+) %</b>", caption(app, "hardly answers")))
    assert raw == pytest.approx(100 * (gradients(softmax(scores(256, 0))) < 1e-3).mean(), abs=0.1)
    assert scaled == 0


def test_a_preset_the_slider_and_other_numbers():
    app = scaling()
    checked(app.button(key="example-d-1024").click().run())
    assert "<b>1,024</b> components" in note(app)
    assert app.query_params["scaling.d"] in ("1024", ["1024"])
    app.select_slider[0].set_value(8)
    assert "<b>8</b> components" in note(checked(app.run()))
    assert "most rows still mix several keys" in html(app)
    before = note(app)
    (again,) = [button for button in app.button if button.label == "Draw again (seed 0)"]
    checked(again.click().run())
    assert app.query_params["scaling.seed"] in ("1", ["1"])
    assert note(app) != before


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("d", "x", "“x” is no whole number from 4 to 1,024"),
        ("d", "48", "48 is not one of 4, 8, 16, 32, 64, 128, 256, 512, 1,024"),
        ("seed", "1000", "1000 is not from 0 to 999"),
        ("other", "<b>", "is not one of without, doubled"),
        ("colour", "red", "means nothing here"),
    ],
)
def test_a_link_that_asks_for_what_there_is_not_is_told(key, value, said):
    app = scaling(**{f"scaling__{key}": value})
    assert len(app.warning) == 1
    assert said in plain(app.warning[0].value)
    assert "<b>64</b> components" in note(app)


def weights(text, layer, head, scale, allowed=None):
    """A MiniLM head's weights under any scale, in NumPy from the parameters and the residual stream."""
    settings = Settings() if allowed is None else Settings(mask=masks.Causal())
    run = load("minilm").run(text, settings=settings)
    params = run.model.transformer.stack.layers[layer].attention.params
    x = run.resid_pre[layer].numpy().astype(np.float64)
    q = x @ params.w_q[head].numpy() + params.b_q[head].numpy()
    k = x @ params.w_k[head].numpy() + params.b_k[head].numpy()
    scores = q @ k.T * scale
    return softmax(scores if allowed is None else np.where(allowed, scores, -np.inf))


SENTENCE = "The bank approved the loan."


def test_a_real_head_under_three_scales():
    app = scaling(s=SENTENCE, layer="2", head="7", scaling__other="doubled")
    scales = {"own": 32**-0.5, "without": 1.0, "doubled": 2 * 32**-0.5}
    expected = {name: weights(SENTENCE, 2, 7, scale) for name, scale in scales.items()}
    for name in ("own", "doubled"):
        found = matrix(picture(app, f"head-{name}")["values"])
        np.testing.assert_allclose(found, expected[name], atol=5e-6)
    sentence = re.search(r'<div class="note">(The same queries.*?)</div>', html(app))[1]
    said = [float(text) for text in re.findall(r"<b>([^<]*)</b>", sentence)]
    assert said == pytest.approx([p.max(axis=1).mean() for p in expected.values()], abs=6e-4)
    for name in ("own", "doubled"):
        p = expected[name]
        entropy = -(p * np.log2(p)).sum(axis=1).mean()
        assert f"largest weight <b>{p.max(axis=1).mean():.3f}</b>, entropy <b>{entropy:.3f}</b> bits" in html(
            app
        )
    for series, name in (
        ("Without the scale", "without"),
        ("As trained", "own"),
        ("Scale doubled", "doubled"),
    ):
        found = row(picture(app, "heads-largest")[series])[7]
        assert found == pytest.approx(expected[name].max(axis=1).mean(), abs=1e-5)


def test_the_other_scale_is_one_click_away():
    app = scaling(s=SENTENCE)
    assert "Without the scale: q · k" in html(app)
    checked(app.segmented_control(key="page.scaling.other").set_value("doubled").run())
    assert "Scale doubled: 2 × q · k ÷ √32" in html(app)
    assert app.query_params["scaling.other"] in ("doubled", ["doubled"])


def test_rows_without_a_choice_are_not_counted():
    app = scaling(s=SENTENCE, mask="causal", layer="1", head="0")
    p = weights(SENTENCE, 1, 0, 32**-0.5, np.tri(8, dtype=bool))[1:]
    assert f"Mean over 7 rows: largest weight <b>{p.max(axis=1).mean():.3f}</b>" in html(app)


def test_a_sentence_too_long_is_one_sentence_and_the_experiment_stays():
    app = scaling(s="bank " * 600)
    assert len(app.error) == 1
    assert "512" in app.error[0].value
    assert "Random vectors of" in note(app)


def test_a_long_text_is_drawn_around_the_query_and_measured_whole():
    text = "the bank approved the loan and " * 25
    app = scaling(s=text, query="100", layer="2", head="7")
    p = weights(text, 2, 7, 32**-0.5)
    found = matrix(picture(app, "head-own")["values"])
    assert len(p) == 152
    np.testing.assert_allclose(found, p[68:132, 68:132], atol=5e-6)
    assert "queries 68–131 of 152 and keys 68–131 of 152" in html(app)
    assert f"Mean over 152 rows: largest weight <b>{p.max(axis=1).mean():.3f}</b>" in html(app)


def test_layer_and_head_are_those_of_every_page():
    app = scaling(s=SENTENCE)
    checked(app.selectbox(key="control.chosen.layer").set_value(0).run())
    checked(app.selectbox(key="control.chosen.head").set_value(11).run())
    assert "L0 H11, weights recomputed" in html(app)
    assert app.query_params["head"] in ("11", ["11"])
