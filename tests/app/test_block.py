"""Inside a block: every number read off the page and computed again, layer by layer, in NumPy."""

import base64
import json
import math
import re
from functools import cache

import numpy as np
import pytest
import torch

from attention import load
from tests.app.screen import checked, component, html, matrix, opened, plain

PAGE = "../../pages/block.py"
SENTENCE = "The bank approved the loan."
N_LAYERS, N_HEADS, D_HEAD = 6, 12, 32


def block(**params):
    return opened(PAGE, **({"s": SENTENCE, "query": "2", "layer": "3"} | params))


def picture(app, name):
    """The traces of one picture by name."""
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.block-{name}.figure"]
    return {plain(trace["name"]): trace for trace in json.loads(chart.proto.spec)["data"]}


def row(trace):
    """The numbers of a chart's series."""
    values = trace["y"]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, norm):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + norm.eps)
    return scaled * norm.gain.numpy() + norm.bias.numpy()


def heads(x, params):
    """Weights, each head's output, and its part of what attention makes."""
    q, k, v = (
        np.einsum("pm,hmd->hpd", x, getattr(params, f"w_{which}").numpy())
        + getattr(params, f"b_{which}").numpy()[:, None]
        for which in "qkv"
    )
    weights = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(D_HEAD))
    return (q, k, v), weights, weights @ v, np.einsum("hqv,hvm->hqm", weights @ v, params.w_o.numpy())


@cache
def states():
    """The stream of MiniLM from the embedding on: at each layer what comes in, is added, and is normed."""
    run = load("minilm").run(SENTENCE)
    x, found = run.resid_pre[0].numpy().astype(np.float64), []
    for layer in run.model.transformer.stack.layers:
        params = layer.attention.params
        made = heads(x, params)[3].sum(axis=0) + params.b_o.numpy()
        mid = layer_norm(x + made, layer.attention.norms.after_add)
        hidden = mid @ layer.mlp.params.w_in.numpy() + layer.mlp.params.b_in.numpy()
        hidden = hidden * 0.5 * (1 + torch.erf(torch.from_numpy(hidden / math.sqrt(2))).numpy())
        thought = hidden @ layer.mlp.params.w_out.numpy() + layer.mlp.params.b_out.numpy()
        post = layer_norm(mid + thought, layer.mlp.norms.after_add)
        found.append({"pre": x, "attention": made, "mid": mid, "mlp": thought, "post": post})
        x = post
    return found


def of(name, at=2):
    """One token's vectors of one kind, [layer d_model]."""
    return np.stack([layer[name][at] for layer in states()])


def length(vectors):
    return np.linalg.norm(vectors, axis=-1)


def cosine(a, b):
    return (a * b).sum(axis=-1) / length(a) / length(b)


def test_who_writes_how_much_is_told_first():
    app = block()
    said = re.search(r'<div class="note">(Of what the 6 layers add.*?)</div>', html(app))[1]
    attention, mlp = length(of("attention")).sum(), length(of("mlp")).sum()
    shares = [int(text) for text in re.findall(r"<b>(\d+) %</b>", said)]
    assert shares == [round(100 * attention / (attention + mlp)), round(100 * mlp / (attention + mlp))]
    assert f"(lengths added up: {attention:,.1f} and {mlp:,.1f})" in said
    assert "bank" in said


def test_lengths_and_cosines_over_the_layers():
    app = block()
    found = picture(app, "lengths")
    for series, name in (
        ("the stream as it comes in", "pre"),
        ("attention adds", "attention"),
        ("the MLP adds", "mlp"),
    ):
        np.testing.assert_allclose(row(found[series]), length(of(name)), rtol=1e-4)
    found = picture(app, "cosines")
    expected = {
        "stream and embedding": cosine(of("post"), of("pre")[:1]),
        "stream after and before": cosine(of("post"), of("pre")),
        "attention and stream": cosine(of("attention"), of("pre")),
        "the MLP and stream": cosine(of("mlp"), of("mid")),
    }
    assert list(found) == list(expected)
    for series, values in expected.items():
        np.testing.assert_allclose(row(found[series]), values, atol=1e-4)
    turned = expected["stream after and before"]
    assert f"L{turned.argmin()}, the layer that turns the stream most: stream after and before" in html(app)


def test_each_cosine_of_the_chosen_layer_stands_beside_what_it_compares():
    for layer in (1, 4):
        said = re.search(r'<table class="turns">.*?</table>', html(block(layer=str(layer))))[0]
        assert f">in L{layer}<" in said
        rows = re.findall(r'row">([^<]*)</th><td>([^<]*)</td><td>([^<]*)</td>', said)
        expected = {
            "stream and embedding": cosine(of("post")[layer], of("pre")[0]),
            "stream after and before": cosine(of("post")[layer], of("pre")[layer]),
            "attention and stream": cosine(of("attention")[layer], of("pre")[layer]),
            "the MLP and stream": cosine(of("mlp")[layer], of("mid")[layer]),
        }
        assert [name for name, _, _ in rows] == list(expected)
        shown = [float(number.replace("−", "-")) for _, number, _ in rows]
        np.testing.assert_allclose(shown, list(expected.values()), atol=6e-4)
        assert "what the MLP adds, and what it is added to" in rows[3][2]


def test_what_the_norms_do():
    found = picture(block(), "norms")
    after_attention = length(of("mid")) / length(of("pre") + of("attention"))
    after_mlp = length(of("post")) / length(of("mid") + of("mlp"))
    assert list(found) == ["on the stream, after attention", "on the stream, after the MLP"]
    np.testing.assert_allclose(row(found["on the stream, after attention"]), after_attention, rtol=1e-4)
    np.testing.assert_allclose(row(found["on the stream, after the MLP"]), after_mlp, rtol=1e-4)


def table(app):
    """The chain of the chosen layer: its row names, and its numbers with NaN where there is none."""
    drawn = re.search(r'<table class="chain">.*?</table>', html(app))[0]
    rows = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', drawn)
    cells = [re.findall(r"<td>([^<]*)</td>", row) for _, row in rows]
    values = [[float(cell.replace("−", "-")) if cell else math.nan for cell in row] for row in cells]
    return [name for name, _ in rows], np.array(values)


def test_one_layer_step_by_step():
    app = block()
    names, values = table(app)
    pre, made, mid, mlp, post = (of(name)[3] for name in ("pre", "attention", "mid", "mlp", "post"))
    assert names == ["as it comes in", "attention", "norm on the stream", "MLP", "norm on the stream"]
    chain = [(pre, made), (pre + made, mid - pre - made), (mid, mlp), (mid + mlp, post - mid - mlp)]
    nothing = math.nan
    expected = [[nothing] * 4 + [length(pre), nothing]]
    for place, (before, written) in enumerate(chain):
        read, makes = (length(before), length(written)) if place in (0, 2) else (nothing, nothing)
        after = before + written
        along, kept = cosine(written, before), cosine(before, after)
        expected.append([read, makes, length(written), along, length(after), kept])
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=6e-4)
    said = re.search(r"differ from the step of the forward pass by <b>([^<]*)</b>", html(app))[1]
    assert float(said.replace("−", "-")) < 1e-5
    sentence = re.search(r'<div class="note">(In L3.*?)</div>', html(app))[1]
    assert f"comes in <b>{length(pre):#.4g}</b> long" in sentence
    assert f"The MLP adds {length(mlp):#.4g}; the stream is {length(mid + mlp):#.4g} then" in sentence


def test_heads_side_by_side_and_added_up():
    app = block()
    params = load("minilm").transformer.stack.layers[3].attention.params
    _, _, outputs, parts = heads(states()[3]["pre"], params)
    np.testing.assert_allclose(matrix(picture(app, "heads")["values"]), outputs[:, 2], atol=1e-4)
    given = np.concatenate([parts[:, 2], params.b_o.numpy()[None]])
    output = given.sum(axis=0)
    shares = given @ output / (output @ output)
    found = row(picture(app, "shares")["share"])
    np.testing.assert_allclose(found, shares, atol=1e-4)
    assert found.sum() == pytest.approx(1)
    most = int(shares.argmax())
    assert f"along H{most}: <b>{shares[most]:.3f}</b>" in html(app)
    said = re.search(r"forward pass’s output by <b>([^<]*)</b>", html(app))[1]
    assert float(said.replace("−", "-")) < 1e-5


def test_one_wide_head():
    app = block()
    params = load("minilm").transformer.stack.layers[3].attention.params
    (q, k, v), weights, _, parts = heads(states()[3]["pre"], params)
    wide = softmax((q @ k.transpose(0, 2, 1)).sum(axis=0) / math.sqrt(384))
    rows = matrix(picture(app, "wide")["values"])
    np.testing.assert_allclose(rows[:-1], weights[:, 2], atol=1e-5)
    np.testing.assert_allclose(rows[-1], wide[2], atol=1e-5)
    note = re.search(r'<div class="note">(What if all 12 heads.*?)</div>', html(app))[1]
    caption = re.search(r"heads’ largest weights lie on.*?</div>", html(app))[0]
    would = np.einsum("k,hkv,hvm->m", wide[2], v, params.w_o.numpy()) + params.b_o.numpy()
    output = parts[:, 2].sum(axis=0) + params.b_o.numpy()
    entropies = -(weights[:, 2] * np.log2(weights[:, 2])).sum(axis=1)
    tops = len(set(weights[:, 2].argmax(axis=1)))
    numbers = [float(text) for text in re.findall(r"<b>([^<]*)</b>", caption + note)]
    entropy = -(wide[2] * np.log2(wide[2])).sum()
    assert numbers == pytest.approx([tops, entropy, entropies.mean(), cosine(would, output)], abs=6e-4)
    assert "divided by √384." in note


def test_a_token_that_sees_nothing_is_said_to_mix_nothing():
    """Its rows are 0 throughout: no largest weight lies anywhere, and a head is not off for that."""
    app = block(mask="block:" + ".".join(f"2-{key}" for key in range(8)))
    assert "sees nothing in this layer: neither several heads nor a wide one mix anything" in html(app)
    assert "largest weights lie on" not in html(app)
    assert "along the bias b<sub>O</sub>: <b>1.000</b>" in html(app)
    toy = block(model="worked-example", s="I learn", layer="0", mask="block:1-0.1-1", query="1")
    assert "The output is zero: no head has mixed anything for it, and there is no bias." in html(toy)


def test_a_preset_a_token_and_a_layer():
    app = block(query="2", layer="3")
    most = int(length(of("mlp")).argmax())
    (button,) = [one for one in app.button if one.label == f"the MLP adds most, L{most}"]
    checked(button.click().run())
    assert app.query_params["layer"] in (str(most), [str(most)])
    checked(app.selectbox(key="control.chosen.query").set_value(5).run())
    np.testing.assert_allclose(
        row(picture(app, "lengths")["the MLP adds"]), length(of("mlp", at=5)), rtol=1e-4
    )
    checked(app.selectbox(key="control.chosen.layer").set_value(0).run())
    assert table(app)[1][0, 4] == pytest.approx(length(of("pre", at=5)[0]), abs=6e-4)


def test_a_change_of_attention_reaches_the_stream():
    """With every head of a layer off, attention adds its bias and nothing else."""
    app = block(off=".".join(f"3-{head}" for head in range(N_HEADS)))
    bias = load("minilm").transformer.stack.layers[3].attention.params.b_o.numpy()
    assert table(app)[1][1, 2] == pytest.approx(np.linalg.norm(bias), abs=6e-4)
    shares = row(picture(app, "shares")["share"])
    np.testing.assert_allclose(shares, [0] * N_HEADS + [1], atol=1e-6)
    assert "along the bias" in html(app)


def test_the_drawing_is_of_this_family():
    drawn = json.loads(component(block(), "block-drawing").json)
    assert drawn.count('class="norm"') == 2
    assert drawn.count('class="add"') == 2


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"layer": "9"}, "There is no layer 9: the model has 6"),
        ({"query": "40"}, "There is no query at position 40"),
        ({"block.colour": "red"}, "means nothing here"),
    ],
)
def test_a_link_that_asks_for_what_there_is_not_is_told(params, said):
    app = block(**params)
    assert [said in plain(warning.value) for warning in app.warning] == [True]


def test_a_model_that_is_attention_alone():
    app = block(model="worked-example", s="I learn", layer="0", head="0", query="1")
    assert "All that is added to" in html(app)
    assert "There is no norm here" in html(app)
    assert "nothing to make one of" in html(app)
    assert "shown.block-norms.figure" not in [chart.key for chart in app.get("plotly_chart")]


def test_words_that_are_markup_are_shown_as_they_are():
    app = block(s="<b>x</b> $y$ <script>", query="1")
    assert "<script>" not in html(app)


def test_a_sentence_too_long_is_one_sentence():
    app = block(s="bank " * 600)
    assert len(app.error) == 1
    assert "512" in app.error[0].value
