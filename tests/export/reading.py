"""Reading exported files back."""

import io
import re
import zlib
from xml.etree import ElementTree

import numpy as np
from PIL import Image

SVG = "{http://www.w3.org/2000/svg}"


def pdf_texts(file):
    """Every run of text of a PDF, as far as it is written in two-byte codes of our face."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", file, re.DOTALL):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        for block in re.findall(rb"BT\n(.*?)ET\n", content, re.DOTALL):
            pieces = re.findall(rb"\(((?:\\.|[^\\)])*)\)", block, re.DOTALL)
            codes = b"".join(re.sub(rb"\\(.)", rb"\1", piece, flags=re.DOTALL) for piece in pieces)
            found.append(codes.decode("utf-16-be", "replace"))
    return found


def texts(file):
    """Every label of an SVG, in the order of drawing."""
    return [element.text for element in ElementTree.fromstring(file).iter(f"{SVG}text")]


def places(file, word):
    """Where a word stands each time, in the order of drawing."""
    found = [element for element in ElementTree.fromstring(file).iter(f"{SVG}text") if element.text == word]
    return [(float(element.get("x")), float(element.get("y"))) for element in found]


def style(element):
    """An element's style as a mapping."""
    return dict(part.strip().split(": ") for part in element.get("style", "").split(";") if ": " in part)


def shown_numbers(path):
    """The numbers of a path, x and y in turn."""
    return [float(number) for number in re.findall(r"-?[\d.]+", path)]


def curves(file):
    """Every curve of an SVG: its four points, its stroke and its opacity."""
    found = []
    for element in ElementTree.fromstring(file).iter(f"{SVG}path"):
        points = shown_numbers(element.get("d", ""))
        if " C " in element.get("d").replace("\n", " ") and len(points) == 8 and "stroke" in style(element):
            look = style(element)
            opacity = float(look.get("opacity", look.get("stroke-opacity", 1)))
            found.append((points, look["stroke"].upper(), float(look.get("stroke-width", 1)), opacity))
    return found


def has_colour(array, colour):
    """Whether any pixel has just this colour."""
    return bool((array == np.array(list(bytes.fromhex(colour[1:])))).all(-1).any())


def rgb(file):
    """The pixels of a PNG."""
    return np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))
