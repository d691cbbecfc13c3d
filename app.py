"""The server: `streamlit run app.py` serves the pages compressed and with security headers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from attention.ui.browser import open_when_ready
from attention.ui.headers import SecurityHeaders


@asynccontextmanager
async def open_browser(_: st.App) -> AsyncIterator[None]:
    """Show the page when the server starts, as Streamlit does for a plain script and not for an App."""
    if not st.get_option("server.headless"):
        open_when_ready(lambda: int(st.get_option("server.port")))
    yield


# Streamlit sends its own 11 MB of scripts uncompressed; level 5 saves as much as level 9 at half the cost.
app = st.App(
    "attention/ui/main.py",
    lifespan=open_browser,
    middleware=[Middleware(SecurityHeaders), Middleware(GZipMiddleware, compresslevel=5)],
)
