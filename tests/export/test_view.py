import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.export import filename, python
from attention.export.view import facts, summary, title
from tests.export.views import view
from tests.figures.pictures import picture


@pytest.mark.parametrize(
    ("ext", "name"),
    [
        ("png", "headlight_minilm_L4_H3_weights.png"),
        ("csv", "headlight_minilm_L4_H3_weights.csv"),
        ("html", "headlight_minilm_L4_H3_weights.html"),
        ("npz", "headlight_minilm_L4_steps.npz"),
        ("json", "headlight_minilm_L4_steps.json"),
        ("py", "headlight_minilm_L4_H3_view.py"),
    ],
)
def test_names_say_what_the_file_holds(ext, name):
    assert filename(view(), ext) == name


def test_names_say_where_there_is_a_choice_of_attention():
    assert filename(view(site="cross"), "svg") == "headlight_minilm_cross_L4_H3_weights.svg"


def test_names_tell_one_change_from_another():
    assert filename(view(tag="causal_off2-5"), "png") == "headlight_minilm_L4_H3_causal_off2-5_weights.png"
    assert filename(view(tag="shuffled0"), "npz") == "headlight_minilm_L4_shuffled0_steps.npz"
    assert filename(view(tag="off" + "1-2." * 12), "png") == "headlight_minilm_L4_H3_changed_weights.png"


@given(st.text(max_size=300), st.text(max_size=60))
def test_names_are_safe_everywhere(model, tag):
    name = filename(view(model=model, tag=tag), "pdf")
    assert re.fullmatch(r"headlight_[A-Za-z0-9.-]+_L4_H3(_[A-Za-z0-9._-]+)?_weights\.pdf", name)
    assert len(name) < 150
    assert ".." not in name or ".." in model + tag


def test_a_model_in_a_folder_goes_by_the_end_of_its_path():
    assert filename(view(model="../../etc/my model?"), "png") == "headlight_etc-my-model_L4_H3_weights.png"


def test_title_and_facts():
    shown = view(picture(3, note="special tokens hidden, rows renormalised", range="log"), pair="Second.")
    assert title(shown) == "minilm · L4 H3 · attention weights"
    assert title(view(site="cross")) == "minilm · cross L4 H3 · attention weights"
    assert facts(shown) == {
        "model": "minilm",
        "revision": "c9745ed",
        "dtype": "float32",
        "attention": "self",
        "layer": "L4",
        "head": "H3",
        "changes": "causal mask in every layer · L2 H5 off",
        "colour range": "logarithmic",
        "tokens shown": "special tokens hidden, rows renormalised",
        "text": "The developer deployed the application because it was ready.",
        "second sentence": "Second.",
    }
    assert "text" not in facts(view(text=None))


def test_a_summary_is_one_line_that_every_format_can_hold():
    said = summary(view(text="a\nb\x00c\ud800", model="m\x0b"))
    assert said.isprintable()
    said.encode("utf-8")


def test_the_script_is_python():
    script = python(view())
    assert len(ast.parse(script).body) == 3
    assert script.endswith("weights\n")
    assert python(view(script=script)) == script
