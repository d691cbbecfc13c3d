import numpy as np
import pytest

from attention.errors import InputError
from attention.figures import lit_sentence as figure
from tests.export.subjects import sentence


def test_numbers_stand_where_there_is_light_enough():
    assert [figure.number(sentence(), at) for at in range(4)] == [".50", "query", ".13", ""]
    dim = sentence(light=np.array([0.099, 0.1, 0.0, 0.9]), query=None)
    assert [figure.number(dim, at) for at in range(4)] == ["", ".10", "", ""], "the last one is masked"
    received = sentence(source="receives")
    assert figure.number(received, 1) == ".37"


def test_pieces_of_a_word_have_one_number_together():
    shared = {"light": np.array([0.5, 0.4, 0.4, 0.0]), "by_words": True}
    for query, key, expected in (
        (None, None, [".50", ".40", "", ""]),  # under the middle one, the first of two
        (None, 2, [".50", "", ".40", ""]),  # under the key in focus
        (1, 2, [".50", "query", "", ""]),
        (0, 1, ["query", ".40", "", ""]),
    ):
        light = sentence(query=query, key=key, **shared)
        assert [figure.number(light, at) for at in range(4)] == expected
    assert figure.meanings(light) == (
        "shade: weight from the query, 0 to 1",
        "pieces of a word: keys summed, rows averaged",
    )
    assert figure.heading(sentence(source="receives", by_words=True)) == "what each word receives"


def test_pieces_make_words():
    assert [list(word) for word in figure.words(sentence())] == [[0], [1, 2], [3]]


def test_the_light_is_named_for_what_it_is():
    assert figure.heading(sentence()) == "what “lo” looks at"
    assert figure.heading(sentence(source="receives")) == "what each token receives"
    assert "mean weight" in figure.meaning(sentence(source="receives"))


def test_the_picture_in_words():
    said = figure.describe(sentence())
    assert said == "4 tokens shaded by what “lo” looks at, 1 masked. The most light, 0.50, is on CLS (0)."
    blind = sentence(light=np.zeros(4), allowed=np.zeros(4, bool))
    assert figure.describe(blind) == "4 tokens shaded by what “lo” looks at, 4 masked."


@pytest.mark.parametrize("name", ["light", "allowed"])
def test_light_for_other_tokens_is_refused(name):
    with pytest.raises(InputError, match=f"{name} is for 3 tokens, but the sentence has 4"):
        sentence(**{name: np.ones(3)})
