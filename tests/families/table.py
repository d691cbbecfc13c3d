"""The one table of parity cases."""

from tests.families import decoders, encoders, translators
from tests.families.case import Case

CASES = {
    case.name: case
    for module in (encoders, decoders, translators)
    for case in vars(module).values()
    if isinstance(case, Case)
}
PAIRS = [(name, asked) for name, case in CASES.items() for asked in case.asked]
