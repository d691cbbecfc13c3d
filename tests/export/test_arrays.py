import io
from json import loads

import numpy as np
import pytest

from attention.errors import InputError
from attention.export import arrays, json, npz
from attention.export.arrays import plain
from tests.export.views import HOSTILE, Choices, Piece, Rule, view

EXPECTED_SETTINGS = {
    "mask": "Rule(before=2)",
    "heads_off": [[0, 9], [0, 10], [2, 5]],
    "positions": "own",
    "encoder": None,
    "sites": [],
}


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def strict(file: bytes):
    return loads(file.decode("utf-8"), parse_constant=refuse)


def test_files_say_which_way_round_the_mask_is_and_how_minus_infinity_is_written():
    shown = view()
    with np.load(io.BytesIO(npz(shown)), allow_pickle=False) as file:
        said = loads(str(file["meaning"]))
        closed = ~file["mask"]
        assert np.isneginf(file["masked"][:, closed]).all(), "true is: may attend"
    assert said["mask"].startswith("true where the query may attend to the key")
    assert "the float -inf where the query may not attend" in said["masked"]
    data = strict(json(shown))
    assert "the string '-inf' where" in data["meaning"]["masked"]
    rows = zip(data["arrays"]["masked"]["values"][0], data["arrays"]["mask"]["values"], strict=True)
    assert all(
        (score == "-inf") is not may for scores, mask in rows for score, may in zip(scores, mask, strict=True)
    )
    assert "mask" not in strict(json(view(arrays={})))["meaning"]


def test_npz_holds_every_array_exactly():
    shown = view()
    with np.load(io.BytesIO(npz(shown)), allow_pickle=False) as file:
        for name, array in shown.arrays.items():
            np.testing.assert_array_equal(file[name], array, strict=True)
        assert list(file["tokens"]) == [token.text for token in shown.tokens]
        assert list(file["ids"]) == list(range(100, 112))
        assert loads(str(file["settings"])) == EXPECTED_SETTINGS
        assert loads(str(file["facts"]))["changes"] == shown.changes
        assert str(file["script"]) == shown.script


def test_json_holds_every_array_exactly():
    shown = view()
    file = strict(json(shown))
    for name, array in shown.arrays.items():
        kept = file["arrays"][name]
        assert kept["dtype"] == str(array.dtype)
        assert kept["shape"] == list(array.shape)
        np.testing.assert_array_equal(np.array(kept["values"], dtype=array.dtype), array, strict=True)
    assert file["arrays"]["masked"]["values"][0][0][1] == "-inf"
    assert file["arrays"]["mask"]["values"][0][:2] == [True, False]
    assert file["settings"] == EXPECTED_SETTINGS
    assert file["facts"]["model"] == "minilm"
    assert file["script"] == shown.script
    assert file["tokens"][3] == {
        "position": 3,
        "text": "deployed",
        "id": 103,
        "start": 0,
        "end": 1,
        "special": False,
    }


def test_what_is_not_finite_is_a_string():
    odd = np.array([[np.inf, -np.inf], [np.nan, 0.1]])
    file = strict(json(view(arrays={"odd": odd, "one": np.array(2.5), "none": np.zeros((2, 0))})))
    assert file["arrays"]["odd"]["values"] == [["inf", "-inf"], ["nan", 0.1]]
    assert file["arrays"]["one"]["values"] == 2.5
    assert file["arrays"]["none"]["values"] == [[], []]
    assert strict(json(view(settings={"x": float("-inf"), "y": float("nan")})))["settings"] == {
        "x": "-inf",
        "y": "nan",
    }


@pytest.mark.parametrize("kind", [npz, json])
def test_any_token_can_be_kept(kind):
    tokens = [Piece(text) for text in (*HOSTILE, "\ud800", "\x00a")]
    file = kind(view(tokens=tokens))
    if kind is json:
        kept = [token["text"] for token in strict(file)["tokens"]]
    else:
        with np.load(io.BytesIO(file), allow_pickle=False) as held:
            kept = list(held["tokens"])
    assert kept == [*HOSTILE, "\ufffd", "\x00a"]


@pytest.mark.parametrize("kind", [npz, json])
def test_the_same_view_gives_the_same_bytes(kind):
    assert kind(view()) == kind(view())


def test_settings_in_the_words_of_json():
    inner = Choices(mask=Rule(before=1))
    assert plain(Choices(encoder=inner))["encoder"]["mask"] == "Rule(before=1)"
    assert plain({"a": (1, None, True), "b": "x\ud800"}) == {"a": [1, None, True], "b": "x\ufffd"}
    assert plain({"off": frozenset({(10, 1), (9, 2)})}) == {"off": [[9, 2], [10, 1]]}


def test_json_beyond_reason_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(arrays, "MOST_JSON_NUMBERS", 100)
    with pytest.raises(InputError, match=r"this layer has 1,044 numbers, .* up to 100: take NPZ"):
        json(view())
