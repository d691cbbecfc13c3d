"""Reading the app's pages as AppTest sees them: strings, payloads, figures."""

import base64
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from attention.ui.components import wire

MAIN = Path(__file__).parents[2] / "attention" / "ui" / "main.py"


def opened(page=None, **params):
    """The app after its first run, by a link with these parameters."""
    app = AppTest.from_file(MAIN, default_timeout=120)
    for key, value in params.items():
        app.query_params[key] = value
    app.run()
    if page:
        app.switch_page(page).run()
    return checked(app)


def checked(app):
    """The app, if nothing but sentences reached its page."""
    assert not app.exception, app.exception[0].message
    return app


def unfolded(app, key):
    """The page after its reader has opened something that is filled only then."""
    app.session_state[key] = True
    return checked(app.run())


def button(app, label):
    """The one button that says this."""
    (found,) = [button for button in app.button if button.label == label]
    return found


def html(app):
    """Everything the page says through st.html, as one string."""
    return "\n".join(element.proto.body for element in app.get("html"))


def plain(message):
    """A message as a reader sees it: without the signs that keep its text from being markup."""
    return unescape(re.sub(r"(`+)(.+?)\1", r"\2", message))


def component(app, key):
    """The payload of one of our components."""
    (found,) = [element for element in app.get("bidi_component") if element.key == key]
    return found.proto


def packed(app, key):
    """Header and arrays of a component that takes bytes."""
    return wire.unpack(component(app, key).bytes)


def markup(app, key):
    """The string of a component that takes markup."""
    return json.loads(component(app, key).json)


def numbers(text):
    """The numbers of a string as the page writes them: with a real minus."""
    bold = re.findall(r"<b>([^<]*)</b>", text)
    return [float(number.replace("−", "-").replace("∞", "inf")) for number in bold]


def cells(app):
    """The weights in the heatmap's cells; NaN where the mask is closed."""
    return packed(app, "heatmap")[1]["weights"]


def matrix(trace):
    """The values of a heatmap trace."""
    z = trace["z"]
    if isinstance(z, dict):
        shape = [int(n) for n in z["shape"].split(",")]
        return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(shape)
    return np.array(z, dtype=float)
