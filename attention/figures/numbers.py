"""How numbers are written on the page: a real minus, and never a zero that is not one."""

import math

MINUS = "−"


def signed(x: float, digits: int = 3) -> str:
    """A score or an entry of a vector.

    >>> signed(17.9431), signed(-0.25), signed(-0.0001), signed(float("-inf"))
    ('17.943', '−0.250', '0.000', '−∞')
    >>> signed(-123456789.0)
    '−1.235e8'
    """
    if not math.isfinite(x):
        return _unending(x)
    text = _short_exponent(f"{x:.{digits}f}" if abs(x) < 1e6 else f"{x:.{digits}e}")
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", MINUS)


def share(x: float) -> str:
    """A weight: three digits, or its order of magnitude where those would all be zero.

    >>> share(0.36832), share(1e-12), share(0.0), share(1.0)
    ('0.368', '1e−12', '0', '1.000')
    """
    if not math.isfinite(x):
        return _unending(x)
    if x == 0:
        return "0"
    text = f"{x:.3f}" if abs(x) >= 0.0005 else f"{x:.0e}"
    return _short_exponent(text).replace("-", MINUS)


def percent(x: float, digits: int = 0) -> str:
    """A share in hundredths; one that is not 0 is never written as 0.

    >>> percent(0.1374), percent(-0.046), percent(0.0034), percent(4e-9), percent(-0.0), percent(0.1374, 1)
    ('14 %', '−5 %', '0.3 %', '4e−7 %', '0 %', '13.7 %')
    """
    text = f"{100 * x + 0.0:.{digits}f}"
    if x and not text.strip("-0."):
        text = f"{100 * x:.1g}"
    return f"{_short_exponent(text).replace('-', MINUS)} %"


def exact(x: float) -> str:
    """A weight to four significant digits, for hovers and tables.

    >>> exact(0.36832), exact(0.5), exact(0.00012347), exact(3.21987e-12), exact(0.0)
    ('0.3683', '0.5000', '0.0001235', '3.220e−12', '0')
    """
    if not math.isfinite(x):
        return _unending(x)
    if x == 0:
        return "0"
    return _short_exponent(f"{x:#.4g}").replace("-", MINUS)


def cell(x: float) -> str:
    """A weight inside its own cell: two digits and no leading zero; nothing below .005.

    >>> cell(0.3683), cell(1.0), cell(0.0049)
    ('.37', '1.00', '')
    """
    if not x >= 0.005:
        return ""
    return f"{x:.2f}".removeprefix("0")


def tick(x: float) -> str:
    """A number beside an axis.

    >>> tick(1000.0), tick(-0.25), tick(1e-07), tick(2e6), tick(0.0)
    ('1,000', '−0.25', '1e−7', '2e6', '0')
    """
    if x and not 1e-4 <= abs(x) < 1e6:
        mantissa, _, exponent = f"{x:.2e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("-", MINUS)
    text = f"{x:,.10f}".rstrip("0").rstrip(".")
    return (text if text.strip("-0.") else "0").replace("-", MINUS)


def measured(x: float) -> str:
    """Any number in a hover, a table or a sentence: whole ones in full, others to four digits.

    >>> measured(4194304.0), measured(-12.34567), measured(2.5e-7), measured(81234.5678), measured(0.5)
    ('4,194,304', '−12.35', '2.5e−7', '81,234.57', '0.5')
    """
    if not math.isfinite(x):
        return _unending(x)
    if x == int(x) and abs(x) < 1e15:
        return f"{int(x):,}".replace("-", MINUS)
    return f"{x:,.2f}".replace("-", MINUS) if 1e4 <= abs(x) < 1e15 else tick(float(f"{x:.4g}"))


def _unending(x: float) -> str:
    if math.isnan(x):
        return "not a number"
    return "∞" if x > 0 else f"{MINUS}∞"


def _short_exponent(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text
