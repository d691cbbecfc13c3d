"""Where the parts of each shape of block stand, read off the drawing."""

import xml.etree.ElementTree as ET

import pytest

from attention.figures.block_drawing import block_drawing, describe
from attention.figures.block_layout import BOX_WIDTH, STREAM, Block, Sublayer, lay_out
from attention.figures.theme import DARK, LIGHT

NORM = "RMSNorm"
PARTS = ("attention", "mlp")


def block(kinds=PARTS, parallel=False, **norms):
    return Block(sublayers=tuple(Sublayer(kind=kind, **norms) for kind in kinds), parallel=parallel)


def drawn(shape):
    """(kind, on the stream?) of each part from top to bottom, and the drawing."""
    svg = ET.fromstring(block_drawing(shape, LIGHT)).find("svg")
    groups = sorted(svg.findall("g"), key=lambda group: (float(group.get("data-y")), group.get("data-x")))
    return [(group.get("class"), float(group.get("data-x")) == STREAM) for group in groups], svg


def sequence(shape):
    """The parts from top to bottom; those that stand on the stream are in capitals."""
    return " ".join(kind.upper() if on_stream else kind for kind, on_stream in drawn(shape)[0])


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        (block(after_add=NORM), "BRANCH attention ADD NORM BRANCH mlp ADD NORM"),
        (block(before=NORM), "BRANCH norm attention ADD BRANCH norm mlp ADD"),
        (
            block(before=NORM, after_sublayer=NORM),
            "BRANCH norm attention norm ADD BRANCH norm mlp norm ADD",
        ),
        (block(parallel=True, before=NORM), "BRANCH norm norm attention mlp ADD"),
        (
            block(("attention", "cross", "mlp"), after_add=NORM),
            "BRANCH attention ADD NORM BRANCH cross ADD NORM BRANCH mlp ADD NORM",
        ),
        (block(("attention",)), "BRANCH attention ADD"),
    ],
    ids=["post-norm", "pre-norm", "sandwich", "parallel residual", "cross-attention", "attention alone"],
)
def test_each_shape_of_block_has_its_parts_in_order(shape, parts):
    assert sequence(shape) == parts


def test_norms_stand_on_the_same_side_of_attention_as_they_are_applied():
    laid = lay_out(
        Block(sublayers=(Sublayer(kind="attention", before="A", after_sublayer="B", after_add="C"),))
    )
    at = {node.label: (node.x, node.y) for node in laid.nodes if node.label}
    assert at["A"][1] < at["Self-attention"][1] < at["B"][1] < at["+"][1] < at["C"][1]
    assert at["A"][0] == at["Self-attention"][0] == at["B"][0] > STREAM
    assert at["+"][0] == at["C"][0] == STREAM


@pytest.mark.parametrize("parallel", [False, True])
def test_each_way_leads_from_the_dot_through_its_sublayer_to_the_plus(parallel):
    laid = lay_out(block(before=NORM, after_sublayer=NORM, parallel=parallel))
    dots = [(node.x, node.y) for node in laid.nodes if node.kind == "branch"]
    adds = [(node.x + 10, node.y) for node in laid.nodes if node.kind == "add"]
    boxes = [node for node in laid.nodes if node.kind not in ("branch", "add")]
    starts, ends = ([line.points[at] for line in laid.lines] for at in (0, -1))
    assert [start for start in starts if start in dots] == dots * (2 if parallel else 1)
    assert [end for end in ends if end in adds] == adds * (2 if parallel else 1)
    for node in boxes:
        assert ends.count((node.x, node.top)) == starts.count((node.x, node.bottom)) == 1


def test_parallel_sublayers_stand_side_by_side_and_do_not_overlap():
    laid = lay_out(block(before=NORM, parallel=True))
    attention, mlp = (node for node in laid.nodes if node.kind in PARTS)
    assert attention.y == mlp.y
    assert mlp.x - attention.x > BOX_WIDTH
    assert laid.width > mlp.x + BOX_WIDTH / 2


def test_only_cross_attention_reads_the_memory():
    shape = block(("attention", "cross", "mlp"), before=NORM)
    laid = lay_out(shape)
    (crossed,) = [node for node in laid.nodes if node.kind == "cross"]
    assert laid.memory == (crossed.x + BOX_WIDTH / 2, crossed.y)
    words = [text.text for text in drawn(shape)[1].iter("text")]
    assert {"keys, values:", "memory"} <= set(words)
    assert lay_out(block()).memory is None
    assert "memory" not in block_drawing(block(), LIGHT)


def test_everything_lies_inside_the_frame():
    for shape in (block(before=NORM, parallel=True), block(("attention", "cross", "mlp"), after_add=NORM)):
        svg = drawn(shape)[1]
        width, height = map(float, svg.get("viewBox").split()[2:])
        for rect in svg.iter("rect"):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert 0 < x < x + w < width
            assert 0 < y < y + h < height


def test_the_alt_text_says_where_the_norms_are():
    assert describe(block(after_add="LayerNorm")) == (
        "One block. The self-attention reads the residual stream; what it makes is added to the stream, and "
        "the sum goes through LayerNorm. The MLP reads the residual stream; what it makes is added to the "
        "stream, and the sum goes through LayerNorm."
    )
    assert "through RMSNorm; what it makes goes through RMSNorm and is added" in describe(
        block(before=NORM, after_sublayer=NORM)
    )
    assert "side by side" in describe(block(parallel=True))
    assert "the encoder’s memory for keys and values" in describe(block(("cross",)))
    assert drawn(block())[1].get("aria-label") == describe(block())


def test_details_stand_in_their_boxes_and_are_text():
    shape = Block(sublayers=(Sublayer(kind="attention", detail=("<b>12 heads</b>", "5 parameters")),))
    assert "<b>12" not in block_drawing(shape, LIGHT)
    words = {text.text: float(text.get("y")) for text in drawn(shape)[1].iter("text")}
    (box,) = drawn(shape)[1].iter("rect")
    top, bottom = float(box.get("y")), float(box.get("y")) + float(box.get("height"))
    lines = [words[line] for line in ("Self-attention", "<b>12 heads</b>", "5 parameters")]
    assert top + 12 < lines[0] < lines[1] < lines[2] < bottom - 4


def test_the_drawing_takes_its_colours_from_the_theme():
    light, dark = (block_drawing(block(), palette) for palette in (LIGHT, DARK))
    assert f"--ink:{DARK.ink}" in dark
    assert f"--ink:{LIGHT.ink}" in light
    assert "#" not in dark.split("<svg")[1]
