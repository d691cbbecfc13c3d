"""The worked example as Python: three lines of the public face, or every matrix where one was changed."""

from __future__ import annotations

from attention.ui.worked.cells import Numbers
from attention.ui.worked.desk import EXAMPLE, Desk
from attention.ui.worked.scene import vocabulary


def script(desk: Desk) -> str:
    """Lines that make the weights again."""
    start = Desk()
    same = all(desk.numbers[name] == start.numbers[name] for name in EXAMPLE)
    return _short(desk) if same and desk.tokens == start.tokens else _long(desk)


def _short(desk: Desk) -> str:
    return (
        f"from attention import {'Settings, load, masks' if desk.causal else 'load'}\n"
        f"run = load('worked-example').run('I learn'{_settings(desk)})\n"
        "weights = run.attention(0).head(0).weights[0]\n"
    )


def _long(desk: Desk) -> str:
    imported = "from attention import Settings, masks\n" if desk.causal else ""
    names = {"x": "x", "q": "w_q", "k": "w_k", "v": "w_v"}
    matrices = "".join(f"{names[name]} = {_tensor(desk.numbers[name])}\n" for name in EXAMPLE)
    d_value, d_model = len(desk.numbers["v"][0]), len(desk.numbers["x"][0])
    return (
        f"import torch\n{imported}"
        "from attention.checkpoints.toy import toy_checkpoint\n"
        "from attention.model import from_checkpoint\n\n"
        f"{matrices}w_o = torch.eye({d_value}, {d_model}, dtype=torch.float64)\n"
        f"toy = toy_checkpoint({list(vocabulary(desk.tokens))!r}, x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)\n"
        f"run = from_checkpoint(toy, dtype=torch.float64).run(range({len(desk.tokens)}){_settings(desk)})\n"
        "weights = run.attention(0).head(0).weights[0]\n"
    )


def _settings(desk: Desk) -> str:
    return ", settings=Settings(mask=masks.Causal())" if desk.causal else ""


def _tensor(numbers: Numbers) -> str:
    return f"torch.tensor({[list(row) for row in numbers]!r}, dtype=torch.float64)"
