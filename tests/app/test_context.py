"""The Context page: each claim is read off the page and recomputed from the residual stream."""

import base64
import json
import re

import numpy as np
import pytest
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention import load
from attention.ui.context.choices import ContextChoices
from attention.ui.context.controls import TRY
from tests.app.screen import checked, html, opened, packed, plain
from tests.app.translators import write
from tests.toys import toy

PAGE = "../../pages/context.py"
LOAN, RIVER = "The bank approved the loan.", "We sat beside the river bank."
TWICE = "The bank by the river bank approved the loan."


def context(shared=(), **own):
    return opened(PAGE, **{f"context.{name}": str(value) for name, value in own.items()}, **dict(shared))


def picture(app, name):
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.context-{name}.figure"]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def row(trace):
    values = trace["y"]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, dtype=float)


def address(app):
    return {key: text if isinstance(text, str) else text[0] for key, text in app.query_params.items()}


def states(run, *positions):
    """A word's vectors at each door and at the end, the mean of its pieces."""
    streams = (*run.resid_pre, run.layer(run.n_layers - 1).post)
    return np.stack([stream.numpy().astype(float)[list(positions)].mean(axis=0) for stream in streams])


def cosine(a, b):
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def weights(minilm, run, layer, *positions):
    """What a word mixed, by hand: the mean over heads and pieces."""
    tensors, x = minilm.checkpoint.tensors, run.resid_pre[layer].numpy().astype(float)

    def heads(which):
        name = f"encoder.layer.{layer}.attention.self.{which}"
        y = x @ tensors[f"{name}.weight"].numpy().astype(float).T + tensors[f"{name}.bias"].numpy()
        return y.reshape(len(x), 12, 32).transpose(1, 0, 2)

    scaled = heads("query") @ heads("key").transpose(0, 2, 1) / np.sqrt(32)
    e = np.exp(scaled - scaled.max(axis=2, keepdims=True))
    return (e / e.sum(axis=2, keepdims=True))[:, list(positions)].mean(axis=(0, 1))


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A models folder with a causal toy that reads words and has no position vectors."""
    words = ("[UNK]", "I", "learn", "slowly", "again", "Learn")
    model = toy(mask="causal", d_vocab=len(words), positions=False)
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return model


def test_the_bank_of_a_loan_and_of_a_river(minilm):
    app = context()
    loan, river = states(minilm.run(LOAN), 2), states(minilm.run(RIVER), 6)
    alike = cosine(loan, river)
    assert alike == pytest.approx([0.964, 0.837, 0.822, 0.811, 0.831, 0.867, 0.785], abs=5e-4)
    curves = picture(app, "cosines")
    np.testing.assert_allclose(row(curves["bank"]), alike, atol=1e-6)
    others = np.stack([cosine(loan, states(minilm.run(RIVER), at)) for at in range(1, 6)]).mean(axis=0)
    np.testing.assert_allclose(row(curves["with the other words there"]), others, atol=1e-6)
    said = html(app)
    assert "a cosine of <b>0.964</b> before the first layer and of <b>0.785</b> after the last" in said
    assert "They part most in L0: 0.964 → 0.837" in said
    assert np.diff(alike).argmin() == 0
    assert "it rises through L3, L4." in said
    assert "Different words are less alike" in said
    assert f"the second sentence’s others end at <b>{others[-1]:.3f}</b>, on average." in said
    assert "the same row of one table, each with its position’s vector added" in said


def test_what_each_gathered_where_they_part(minilm):
    app = context()
    for name, text, at in (("first", LOAN, 2), ("second", RIVER, 6)):
        expected = weights(minilm, minilm.run(text), 0, at)
        np.testing.assert_allclose(row(picture(app, name)["mean weight of all heads"]), expected, atol=1e-5)
        header, arrays = packed(app, f"context.{name}")
        np.testing.assert_allclose(arrays["weights"], expected, atol=1e-5)
        assert header["query"] == at
    river = weights(minilm, minilm.run(RIVER), 0, 6)
    assert river.argmax() == 5
    assert f'all heads: <span class="k"><bdi>river</bdi></span> {river[5]:.3f}' in html(app)
    assert f"; {river[6]:.3f} of it stayed on the word itself" in html(app)


def test_another_layer_is_shown(minilm):
    app = context(layer=4)
    expected = weights(minilm, minilm.run(LOAN), 4, 2)
    np.testing.assert_allclose(row(picture(app, "first")["mean weight of all heads"]), expected, atol=1e-5)
    checked(app.selectbox(key="page.context.layer").set_value(2).run())
    expected = weights(minilm, minilm.run(LOAN), 2, 2)
    np.testing.assert_allclose(row(picture(app, "first")["mean weight of all heads"]), expected, atol=1e-5)
    assert address(app)["context.layer"] == "2"


def test_any_word_of_both_can_be_followed(minilm):
    app = context()
    words = app.selectbox(key="page.context.word")
    assert words.options == ["the", "bank"]
    checked(words.set_value("the").run())
    assert address(app)["context.word"] == "the"
    alike = cosine(states(minilm.run(LOAN), 1), states(minilm.run(RIVER), 4))
    np.testing.assert_allclose(row(picture(app, "cosines")["the"]), alike, atol=1e-6)
    checked(app.selectbox(key="page.context.at").set_value(1).run())
    alike = cosine(states(minilm.run(LOAN), 4), states(minilm.run(RIVER), 4))
    np.testing.assert_allclose(row(picture(app, "cosines")["the"]), alike, atol=1e-6)


def test_two_occurrences_in_one_sentence(minilm):
    app = context(a=TWICE, b="")
    run = minilm.run(TWICE)
    alike = cosine(states(run, 2), states(run, 6))
    np.testing.assert_allclose(row(picture(app, "cosines")["bank"]), alike, atol=1e-6)
    said = html(app)
    assert "in its two places, 2 and 6, of one sentence" in said
    assert f"<b>{alike[-1]:.3f}</b> after the last" in said
    others = np.mean([cosine(states(run, 2), states(run, at))[-1] for at in (1, 3, 4, 5, 7, 8, 9)])
    assert f"the sentence’s others end at <b>{others:.3f}</b>, on average." in said
    assert "Both places may look at the same tokens: nothing but where they stand tells them apart." in said
    assert "One sentence, shown once for each place. Lit by what “<bdi>bank</bdi>” mixed" in said
    assert app.selectbox(key="page.context.word").options == ["the", "bank"]
    checked(app.selectbox(key="page.context.at").set_value(1).run())
    assert [packed(app, f"context.{name}")[0]["query"] for name in ("first", "second")] == [6, 2]


def test_a_word_of_several_pieces_is_their_mean_and_that_is_said(minilm):
    first, second = "The hedgerower slept.", "We saw a hedgerower."
    app = context(a=first, b=second, layer=0)
    alike = cosine(states(minilm.run(first), 2, 3, 4), states(minilm.run(second), 4, 5, 6))
    np.testing.assert_allclose(row(picture(app, "cosines")["hedgerower"]), alike, atol=1e-6)
    assert "“<bdi>hedgerower</bdi>” is 3 pieces: its vector is the mean of theirs" in html(app)
    expected = weights(minilm, minilm.run(first), 0, 2, 3, 4)
    np.testing.assert_allclose(packed(app, "context.first")[1]["weights"], expected, atol=1e-5)


def test_a_sentence_without_the_chosen_word_loses_nothing():
    app = context(word="bank")
    checked(app.text_input(key="page.context.second").set_value("The dog sat by the loan.").run())
    assert [plain(one.value) for one in app.warning] == [
        "“bank” does not stand in both sentences; “loan” is followed instead."
    ]
    checked(app.text_input(key="page.context.second").set_value("A bank.").run())
    assert not app.warning
    assert app.selectbox(key="page.context.word").value == "bank"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"b": "Dogs sleep."}, "The two sentences have no word in common: type one that stands in both."),
        (
            {"a": RIVER, "b": ""},
            "No word stands twice in this sentence: repeat one, or type a second sentence.",
        ),
        ({"a": ""}, "The text is blank."),
    ],
)
def test_what_cannot_be_followed_is_told_in_a_sentence(own, said):
    app = context(**own)
    assert [plain(one.value) for one in app.error] == [said]
    assert app.text_input(key="page.context.first").value == own.get("a", LOAN)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"word": "loan"}, "“loan” does not stand in both sentences; “bank” is followed instead."),
        ({"layer": "6"}, "There is no layer 6: the model has 6 (0–5)."),
        ({"at": "1"}, "“bank” stands there once, counted from 0: there is no 1."),
        ({"at": "x"}, "The link's context.at was ignored: “x” is no whole number from 0 up."),
        ({"a": "x" * 301}, "The link's context.a was ignored: it has 301 characters, and 300 are read here."),
        ({"n": "1"}, "The link's “context.n” means nothing here."),
    ],
)
def test_what_is_wrong_with_a_link_is_told(own, said):
    assert [plain(one.value) for one in context(**own).warning] == [said]


def test_words_written_with_other_tokens_begin_as_other_rows(small):
    shared = {"model": "small", "s": "I learn", "layer": "0", "head": "0"}
    app = context(a="Learn slowly", b="I learn again", shared=shared)
    assert "written with different tokens, so they begin as different rows" in html(app)
    alike = cosine(states(small.run([5, 3]), 0), states(small.run([1, 2, 4]), 1))
    np.testing.assert_allclose(row(picture(app, "cosines")["learn"]), alike, atol=1e-5)
    same = context(a="I learn", b="I learn again", word="learn", shared=shared)
    assert "Both begin as the same row of one table." in html(same)
    # A causal model has seen the same before both: the vectors never part.
    assert "No layer makes it fall." in html(same)
    assert "the cosine stays the same through every layer here." in html(same)
    _, arrays = packed(same, "context.second")
    assert arrays["allowed"].tolist() == [1, 1, 0]
    assert "Different words are no less alike" not in html(same)
    twice = context(a="learn slowly learn", b="", shared=shared)
    assert "The second place may look at tokens that the first may not." in html(twice)
    turned = context(a="learn slowly learn", b="", at="1", shared=shared)
    assert "The first place may look at tokens that the second may not." in html(turned)
    assert "again" not in re.search(r"the mean over all heads: (.*?)\.<", html(same))[1]


def test_of_an_encoder_decoder_the_encoder_reads(tmp_path, monkeypatch):
    folder = write(tmp_path, "tiny marian")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    first, second = "the dog chased the cat .", "the cat sat ."
    shared = {"model": "tiny marian", "s": "the dog", "layer": "0", "head": "0"}
    app = context(a=first, b=second, word="cat", shared=shared)
    runs = [load(folder).run(text, target="der Hund").encoder for text in (first, second)]
    places = [[token.text for token in run.tokens].index("cat") for run in runs]
    alike = cosine(*(states(run, at) for run, at in zip(runs, places, strict=True)))
    np.testing.assert_allclose(row(picture(app, "cosines")["cat"]), alike, atol=1e-6)


@pytest.mark.parametrize("name", TRY)
def test_each_example_can_be_followed(name):
    app = context()
    index = list(TRY).index(name)
    checked(app.button(key=f"example-context-{index}").click().run())
    assert not app.error
    assert not app.warning
    assert app.text_input(key="page.context.first").value == TRY[name].choices.first
    assert float(re.search(r"a cosine of <b>([\d.]+)</b>", html(app))[1]) > 0.5
    assert f'<span class="q"><bdi>{TRY[name].word}</bdi>' in html(app)


@pytest.mark.parametrize("name", TRY)
def test_how_people_read_an_example_is_said_of_that_example_alone(name):
    """It is about one word in these sentences: of another word, or of another sentence, nothing is known."""
    made = TRY[name].choices
    own = {"a": made.first, "b": made.second, "word": TRY[name].word}
    assert TRY[name].reading in html(context(**own))
    assert TRY[name].reading not in html(context(**own | {"word": "the"}))
    assert TRY[name].reading not in html(context(**own | {"a": f"{made.first} It is so."}))


def test_the_start_is_the_bank():
    assert ContextChoices() == TRY["bank, bank"].choices
