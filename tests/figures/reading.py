"""Reads figures that are strings of HTML and SVG. They parse as XML, or something in them is not escaped."""

import xml.etree.ElementTree as ET


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def rects(markup):
    return list(ET.fromstring(markup).iter("rect"))


def titles(markup):
    return [number(rect.find("title").text.rpartition(" = ")[2]) for rect in rects(markup)]


def links(markup):
    return [
        (div.find("b").text, "".join(div.find("span").itertext()))
        for div in ET.fromstring(markup).iter("div")
        if div.find("b") is not None
    ]


def visible_rows(markup):
    return [row for row in ET.fromstring(markup).iter("tr") if "hidden" not in row.attrib][1:]


def names(markup):
    return ["".join(row.find("td").itertext()) for row in visible_rows(markup)]
