"""BertViz's model view as a page of its own, with the scripts it asks for served from here.

Package and scripts are fetched once, by pip and npm, into a folder of the system's temporary directory;
nothing of them is kept in the repository.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import torch

BERTVIZ = "bertviz==1.4.1"
SCRIPTS = {
    "require.min.js": ("requirejs@2", "package/require.js"),
    "d3.min.js": ("d3@5", "package/dist/d3.min.js"),
    "jquery.min.js": ("jquery@3", "package/dist/jquery.min.js"),
}
FOLDER = Path(tempfile.gettempdir()) / "headlight-bench"


def fetched() -> Path:
    """The folder with the package and the scripts."""
    FOLDER.mkdir(exist_ok=True)
    if not (FOLDER / "bertviz").exists():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", BERTVIZ]
        subprocess.run([*pip, "-d", str(FOLDER)], check=True)
        zipfile.ZipFile(next(FOLDER.glob("bertviz-*.whl"))).extractall(FOLDER)
    for name, (package, member) in SCRIPTS.items():
        if not (FOLDER / name).exists():
            told = subprocess.run(
                ["npm", "pack", "--silent", package], cwd=FOLDER, check=True, capture_output=True, text=True
            )
            with tarfile.open(FOLDER / told.stdout.split()[-1]) as archive:
                (FOLDER / name).write_bytes(archive.extractfile(member).read())
    return FOLDER


# All that BertViz asks of IPython when it gives its page back stands in for IPython itself.
_MAKE = """
import sys, types
class Shown:
    def __init__(self, data):
        self.data = data
display = types.ModuleType("IPython.display")
display.display = display.HTML = display.Javascript = Shown
sys.modules |= {"IPython": types.ModuleType("IPython"), "IPython.display": display}
import torch
from bertviz.model_view import model_view
found = torch.load(sys.argv[1], weights_only=True)
page = model_view(found["attentions"], found["tokens"], html_action="return").data
sys.stdout.buffer.write(page.encode())
"""


def model_view_page(attentions, tokens) -> str:
    """The page that `model_view(…, html_action="return")` makes, in a process of its own.

    Args:
        attentions: A tensor [1 head query key] for each layer.
        tokens: As many as there are queries.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "attentions.pt"
        torch.save({"attentions": list(attentions), "tokens": list(tokens)}, given)
        command = [sys.executable, "-W", "ignore", "-c", _MAKE, str(given)]
        env = os.environ | {"PYTHONPATH": str(fetched())}
        return subprocess.run(command, env=env, check=True, capture_output=True).stdout.decode()


def serve_scripts(route) -> None:
    """Answer a request for a script of another host with our copy."""
    name = route.request.url.rsplit("/", 1)[-1]
    name = name if name.endswith(".js") else f"{name}.js"
    route.fulfill(path=fetched() / name, content_type="text/javascript")
