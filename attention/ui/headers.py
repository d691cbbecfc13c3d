"""Security headers for every answer of the server."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INDEX = Path(streamlit.__file__).parent / "static" / "index.html"


def inline_script_hashes(html: str) -> tuple[str, ...]:
    """The sources by which a content security policy admits the page's own inline scripts, and no others.

    >>> inline_script_hashes("<script>x = 1</script><script src='a.js'></script>")
    ("'sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY='",)
    """
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    return tuple(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


def content_security_policy(html: str) -> str:
    """What the page may load: its own files, and what its own scripts make in memory.

    Components arrive as `blob:` modules; Streamlit's styles are inline; pictures and downloads are `data:`
    and `blob:`. Nothing needs `unsafe-eval`, and no other host is named.
    """
    directives = {
        "default-src": ("'self'",),
        "script-src": ("'self'", "blob:", *inline_script_hashes(html)),
        "style-src": ("'self'", "'unsafe-inline'"),
        "img-src": ("'self'", "data:", "blob:"),
        "font-src": ("'self'", "data:"),
        "media-src": ("'self'", "data:", "blob:"),
        "worker-src": ("'self'", "blob:"),
        "object-src": ("'none'",),
        "base-uri": ("'self'",),
        "form-action": ("'self'",),
        "frame-ancestors": ("'self'",),
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


class SecurityHeaders:
    """ASGI middleware that adds the same headers to each HTTP answer and touches nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = (
            (b"content-security-policy", content_security_policy(INDEX.read_text("utf-8")).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; add the headers on the way back."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self.headers]}
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)
