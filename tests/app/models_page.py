"""Reading the Models page as AppTest sees it."""

import re

from tests.app.screen import html, opened

PAGE = "../../pages/models.py"


def models(**params):
    return opened(PAGE, **params)


def said(app):
    return re.sub("<[^>]+>", "", html(app))


def labels(app):
    return [button.label for button in app.button]
