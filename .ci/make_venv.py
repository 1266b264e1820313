"""Make a virtual environment with pip, also where Python came without the parts for it. Standard library only.

    python3 .ci/make_venv.py .venv

Debian and Ubuntu ship `python3` without `ensurepip` (it is in `python3-venv`) and without `pip`: there
`python3 -m venv` fails, and leaves half an environment behind. Then the pip that is there is used, or one is
fetched from the package index and checked against the index's own hash.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NoReturn
from urllib.parse import urljoin
from urllib.request import urlopen

INDEX = os.environ.get("PIP_INDEX_URL") or "https://pypi.org/simple"
WHEEL = re.compile(r'<a [^>]*href="([^"#]*/pip-([0-9.]+)-py3-none-any\.whl)#sha256=([0-9a-f]{64})"([^>]*)>')
NEEDS = re.compile(r'data-requires-python="[^"]*>=\s*3\.(\d+)')


def main(path: Path) -> None:
    """Make the environment at `path`, whatever half of one stands there."""
    if sys.version_info < (3, 10):  # noqa: UP036 - this file runs before anything has checked it
        version = sys.version.split()[0]
        fail(f"itermon needs Python 3.10 or later; {sys.executable} is {version}. Try: make PYTHON=python3.12")
    if works(path):
        return
    shutil.rmtree(path, ignore_errors=True)
    venv.create(path, symlinks=True)
    python = path / "bin" / "python"
    run([python, "-m", "ensurepip", "--default-pip"])
    if not works(path):
        run([sys.executable, "-m", "pip", "--python", python, "install", "pip"])
    if not works(path):
        print("this Python has no pip and no ensurepip: fetching pip from the package index", flush=True)
        install_fetched_pip(python)
    if not works(path):
        fail("no pip for the virtual environment. On Debian and Ubuntu: apt install python3-venv")


def works(path: Path) -> bool:
    """Is there an environment at `path` whose pip runs?"""
    return run([path / "bin" / "python", "-m", "pip", "--version"])


def run(command: list[str | Path]) -> bool:
    """Did `command` do its work? What it says is not shown: another way comes next, or one line at the end."""
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def install_fetched_pip(python: Path) -> None:
    """The newest pip of the index that suits this Python; a wheel is a zip file that can install itself."""
    page = INDEX.rstrip("/") + "/pip/"
    try:
        text = urlopen(page, timeout=30).read().decode()
        address, digest = newest(text)
        wheel = urlopen(urljoin(page, html.unescape(address)), timeout=60).read()
    except (OSError, ValueError) as error:
        fail(f"{page} gave no pip: {error}. On Debian and Ubuntu: apt install python3-venv")
    if hashlib.sha256(wheel).hexdigest() != digest:
        fail(f"the pip from {page} is not the one the index describes. Nothing was installed.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, address.rpartition("/")[2])
        file.write_bytes(wheel)
        run([python, f"{file}/pip", "install", "--no-index", file])


def newest(page: str) -> tuple[str, str]:
    """Address and SHA-256 of the newest wheel on the index's page. Raises `ValueError` if there is none."""
    found = []
    for address, version, digest, rest in WHEEL.findall(page):
        needs = NEEDS.search(html.unescape(rest))
        if "data-yanked" not in rest and (not needs or int(needs[1]) <= sys.version_info.minor):
            found.append(([int(part) for part in version.split(".")], address, digest))
    if not found:
        raise ValueError("no wheel of it is listed")
    return max(found)[1:]


def fail(why: str) -> NoReturn:
    """One line, and out."""
    sys.exit(f"make: {why}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
