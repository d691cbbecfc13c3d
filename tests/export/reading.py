"""Reading exported files back."""

import re
import zlib


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
