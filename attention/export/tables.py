"""CSV of the weights on screen, for spreadsheets and for pandas.

The file begins with the facts, one a line and each beginning with ``#``, then an empty line, then the table:
one row a query, one column a key, every column headed by position and token. It is UTF-8 with a byte-order
mark, without which Excel takes it for Latin-1; Python reads it as "utf-8-sig", pandas by itself
(``pandas.read_csv(file, skiprows=n)`` where n is the number of lines up to the empty one).
"""

import io
from csv import writer

from attention.export.view import View, facts, printable
from attention.figures.labels import visible

_STARTS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def csv(view: View) -> bytes:
    """The weights as shown, to full precision; what is masked is the 0 that it is."""
    picture = view.picture
    sheet = io.StringIO(newline="")
    lines = writer(sheet)
    lines.writerow(["# Headlight", "attention weights, rows look and columns are looked at"])
    for name, value in facts(view).items():
        lines.writerow([f"# {name}", safe(visible(value))])
    sheet.write("\r\n")
    keys = zip(picture.key_positions, picture.key_tokens, strict=True)
    lines.writerow(["query position", "query token", *(safe(f"{at} {token}") for at, token in keys)])
    rows = zip(picture.query_positions, picture.query_tokens, picture.values.tolist(), strict=True)
    for position, token, values in rows:
        lines.writerow([position, safe(token), *map(repr, values)])
    return sheet.getvalue().encode("utf-8-sig")


def safe(text: str) -> str:
    """A text that a spreadsheet shows and does not reckon, with what no CSV reader takes left readable.

    >>> safe("=1+1"), safe("loan"), safe("##s")
    ("'=1+1", 'loan', '##s')
    """
    held = printable(text).replace("\0", "␀")
    return f"'{held}" if held.startswith(_STARTS_A_FORMULA) else held
