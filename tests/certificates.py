"""Certificates of our own, made by openssl: a CA, a server and a client that it signed, and a stranger."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Pair(NamedTuple):
    certificate: Path
    key: Path


def signed(folder: Path) -> tuple[Path, Pair, Pair]:
    """The CA's certificate, and the server's and the client's with their keys."""
    _openssl("req", "-x509", *_KEY, "-subj", "/CN=ca", "-keyout", folder / "ca.key", "-out", folder / "ca.pem",
             "-addext", "basicConstraints=critical,CA:TRUE")  # fmt: skip
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    return folder / "ca.pem", _by_ca(folder, "server"), _by_ca(folder, "client")


def stranger(folder: Path) -> Pair:
    """Signed by nobody."""
    pair = Pair(folder / "stranger.pem", folder / "stranger.key")
    _openssl("req", "-x509", *_KEY, "-subj", "/CN=stranger", "-keyout", pair.key, "-out", pair.certificate)
    return pair


def _by_ca(folder: Path, name: str) -> Pair:
    pair, request = Pair(folder / f"{name}.pem", folder / f"{name}.key"), folder / f"{name}.csr"
    _openssl("req", "-new", *_KEY, "-subj", f"/CN={name}", "-keyout", pair.key, "-out", request)
    _openssl("x509", "-req", "-in", request, "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
             "-CAcreateserial", "-extfile", folder / "names", "-out", pair.certificate)  # fmt: skip
    return pair


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)
