"""What Explore says of a text that did not reach the model as it was typed; and a model that reads ids."""

import json

import numpy as np
import pytest
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from tests.app.screen import checked, html, opened, packed, plain
from tests.toys import toy

WORDS = ("</s>", "I", "learn", "You", "teach")
NOT_READ = "Dropped by the tokenizer, so not read: "
JOINED = "The second sentence is joined to the first by "


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a toy into the models folder, with or without a tokenizer that puts `between` two sentences."""
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))

    def write(tokenizer=True, between=""):
        model = toy(mask="causal", d_vocab=11)
        folder = tmp_path / "my toy"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
        save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
        if tokenizer:
            _words(between).save(str(folder / "tokenizer.json"))
        return model

    return write


def _words(between):
    words = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="</s>"))
    words.pre_tokenizer = Whitespace()
    words.post_processor = TemplateProcessing(
        single="$A", pair=f"$A {between} $B".replace("  ", " "), special_tokens=[("</s>", 0)]
    )
    return words


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("a \u200b b", "zero width space (U+200B)"),
        ("a\u200db", "zero width joiner (U+200D)"),
        ("\ufeffa b\x07", "zero width no-break space (U+FEFF), control character (U+0007)"),
        ("a\u00ad b\u2060 \u202e\u200e\u200f \u200b c", "soft hyphen (U+00AD), word joiner (U+2060)"),
    ],
)
def test_unseen_signs_that_the_model_does_not_read_are_named(text, signs):
    assert f"{NOT_READ}{signs}" in html(opened(s=text))


def test_at_most_five_unseen_signs_are_named():
    said = html(opened(s="a\u200b\u200c\u200d\u2060\ufeff\u00ad\x07 b")).split(NOT_READ)[1].split("<")[0]
    assert said.count("U+") == 5
    assert said.endswith("zero width no-break space (U+FEFF) and 2 more.")


def test_signs_of_the_second_sentence_are_named_too():
    assert f"{NOT_READ}zero width space (U+200B)." in html(opened(s="I learn", pair="You\u200b teach"))


@pytest.mark.parametrize("text", ["The bank  approved\u00a0it.", "naïve café", "日本", "it's 😀 good"])
def test_a_text_that_is_read_whole_has_no_such_line(text):
    assert NOT_READ not in html(opened(s=text))


def test_a_sign_that_a_token_stands_for_is_read(written):
    written()
    assert NOT_READ not in html(opened(model="my toy", s="I \u200b learn"))


@pytest.mark.parametrize(("between", "said"), [("", "nothing, not even a space"), ("</s>", "&lt;/s&gt;")])
def test_a_model_without_segment_ids_says_how_two_sentences_were_joined(written, between, said):
    written(between=between)
    assert f"{JOINED}<b>{said}</b>" in html(opened(model="my toy", s="I learn", pair="You teach"))
    assert JOINED not in html(opened(model="my toy", s="I learn"))


def test_a_model_with_segment_ids_has_no_such_line():
    assert JOINED not in html(opened(s="I learn", pair="You teach"))


def test_a_model_without_a_tokenizer_reads_ids_from_the_box(written):
    model = written(tokenizer=False)
    app = opened(model="my toy", s="3, 1\t4", layer="2", head="5")
    header, arrays = packed(app, "tokens")
    assert [chip["shown"] for chip in header["chips"]] == ["3", "1", "4"]
    expected = model.run([3, 1, 4]).attention(2).weights[5].numpy()
    np.testing.assert_allclose(arrays["weights"], expected, atol=1e-6)
    app.text_input(key="control.text").set_value("7 8")
    link = checked(app.run()).query_params.items()
    again = opened(**{key: value if isinstance(value, str) else value[0] for key, value in link})
    assert [chip["shown"] for chip in packed(again, "tokens")[0]["chips"]] == ["7", "8"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3 one 4", "my toy came without a tokenizer: it takes token ids only, such as 3 1 4, and “one” is"),
        ("3 -1", "“-1” is not a whole number."),
        ("3 11", "Token id 11 is not in the vocabulary (0–10)."),
        ("9" * 5000, f"Token id {'9' * 18}… is not in the vocabulary (0–10)."),
        (" ", "The text is blank."),
        (",", "Nothing is left of the text"),
    ],
)
def test_what_is_no_list_of_ids_is_refused_and_ids_are_offered(written, text, said):
    written(tokenizer=False)
    app = opened(model="my toy", s=text, layer="0", head="0")
    (error,) = app.error
    assert said in plain(error.value)
    (offer,) = [button for button in app.button if button.label == "Read “0 1 2 3”"]
    assert len(packed(checked(offer.click().run()), "tokens")[0]["chips"]) == 4
