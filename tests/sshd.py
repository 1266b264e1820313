"""An ssh daemon of our own on this machine, and an `ssh` that knows it: the other machine of a test."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waiting import eventually

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MISSING = "sshd is not installed: apt install openssh-server"


@contextmanager
def other_machine(folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Its address, and an environment whose `ssh` finds it. Commands there have `environment`, and an itermon."""
    assert SSHD
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True, timeout=60)
    for name in ("here", "there"):
        (folder / name).mkdir()
    _script(folder / "there" / "itermon", f'exec {sys.executable} -m itermon "$@"')
    _script(folder / "here" / "ssh", f'exec {shutil.which("ssh")} -F {folder}/ssh_config "$@"')
    there = environment | {"PATH": f"{folder}/there:/usr/bin:/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
        f"ListenAddress 127.0.0.1\nSetEnv {' '.join(f'{name}={value}' for name, value in there.items())}\n"
    )
    (folder / "ssh_config").write_text(
        f"IdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
        "StrictHostKeyChecking no\nLogLevel ERROR\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # it wants an empty folder for its own safety
    daemon = subprocess.Popen(
        [SSHD, "-D", "-e", "-p", str(port), "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: _listens(port) or daemon.poll() is not None)
        here = os.environ | {"PATH": f"{folder}/here:{os.environ['PATH']}"}
        yield f"{getpass.getuser()}@127.0.0.1:{port}", here
    finally:
        daemon.terminate()
        daemon.wait()


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
