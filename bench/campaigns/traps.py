"""A folder in which everything that somebody else writes holds a payload: logs, recordings, formats, names, GPUs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "collectors" / "nvml"))
import standin

from .odd_events import KINDS, Maker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from msgspec import inspect

MARK = "Ze9k"
PAYLOADS = (
    "\x1b[2J\x1b[31m", "\x1b]0;t\x07", "\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x07", "\x1bP1$r0m\x1b\\",
    "\x1bc", "\x1b[?1049l\x1b[?25h", "\x1bkx\x1b\\", "\x1b]8;;", "\x9b2J", "\x9d0;t\x9c", "\x90q\x9c", "\x07\x07", "\x08\x08\x08",
    "\r", "\x00", "\x0e\x0f", "\x7f", "\u202e\u2066", "\u200b\u200d\ufeff", "\u2028\u2029\x85", "e\u0301" * 30, "漢字" * 9, "x" * 5000,
    "[bold red]b[/] [link=x]y[/link] [@click=app.quit]z[/]", "a\nb", "\ud800", "\udc9b2J", "\t", "\U000e0001\U000f0000",
)  # fmt: skip
LOG_LINE = "iter {i}: loss 3.5, time 200.00ms, mfu 10.00%"


def marked(payload: str) -> str:
    """So that it is known again where it comes out."""
    return f"{MARK}{payload}{MARK}"


class _Evil(Maker):
    """Events whose every text is the payload."""

    text = ""

    def _value(self, kind: inspect.Type) -> Any:
        value = super()._value(kind)
        if isinstance(value, str) and type(kind).__name__ in ("StrType", "CustomType", "AnyType"):
            return self.text
        return {self.text: self.text} if isinstance(value, dict) else value


def as_file_name(text: str) -> str:
    """What of it a file name can hold."""
    return as_argument(text.replace("/", "_").replace("\0", "_"), 180)


def as_argument(text: str, most_bytes: int = 1 << 16) -> str:
    """What of it the system hands on: bytes, which need not be UTF-8."""
    return os.fsdecode(text.replace("\0", "").encode(errors="surrogatepass")[:most_bytes])


def set_up(folder: Path, payload: str, rng: Random) -> dict[str, str]:
    """Fill `folder`; returns the paths by their names, `{log}` and so on, for the commands."""
    text = marked(payload)
    evil = folder / as_file_name(text)
    formats, runs = folder / "itermon" / "formats", folder / "runs"
    for each in (evil, formats, runs, folder / "empty", evil / "sub"):
        each.mkdir(parents=True, exist_ok=True)
    log = evil / as_file_name(f"{text}.log")
    log.write_bytes(_log(text))
    paths = {"log": log, "folder": evil, "none": evil / "none", "poem": evil / "poem.txt", "empty": evil / "sub"}
    paths["new"] = folder / "new.jsonl"
    paths["poem"].write_text("no log\n" * 9)
    paths["recording"] = evil / as_file_name(f"{text}.jsonl")
    paths["recording"].write_bytes(_recording(text, rng))
    (runs / "tiny.20260101-000000.123.jsonl").write_bytes(paths["recording"].read_bytes())
    paths["format"] = formats / as_file_name(f"{text}.toml")
    paths["format"].write_text(_format(text), encoding="utf-8", errors="replace")
    paths["bad"] = formats / as_file_name(f"bad{text}.toml")
    paths["bad"].write_text(rng.choice(_BAD).format(t=_toml(text)), encoding="utf-8", errors="replace")
    ssh = folder / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_bytes(f"#!/bin/sh\ncat >&2 <<'END'\n{text}\nEND\nexit 255\n".encode(errors="replace"))
    ssh.chmod(0o700)
    paths["config"] = evil / as_file_name(f"{text}.py")
    paths["config"].write_bytes(
        f"dataset = {text!a}\n{text!a} = 3\nbatch_size = {text!a}\nx = {text}\n".encode(errors="replace")
    )
    return {name: str(path) for name, path in paths.items()} | {"text": as_argument(text), "live": "live"}


def _log(text: str) -> bytes:
    lines = [f"Overriding: dataset = {text}", text, f"{text} = {text}", f"number of parameters: 1.00M {text}"]
    for i in range(30):
        lines.append(LOG_LINE.format(i=i))
        if i % 7 == 0:
            lines += [
                f"RuntimeError: {text}",
                f"step {i}: train loss 3.2, val loss 3.3 {text}",
                f"saving checkpoint to {text}",
            ]
    lines += [f"own {i} {text} dt=20ms" for i in range(3)]
    return "\n".join(lines).encode(errors="surrogatepass")


def _recording(text: str, rng: Random) -> bytes:
    maker = _Evil(rng)
    maker.text = text
    lines = [maker.line() for _ in range(60)]
    for kind in KINDS.values():
        fields = {f.encode_name: maker._value(f.type) for f in kind.fields}
        lines.append(json.dumps({"type": str(kind.tag), **fields}).encode() + b"\n")
    lines += [json.dumps({"type": "iteration", "index": i, "duration_s": 0.2}).encode() + b"\n" for i in range(30)]
    lines.insert(0, json.dumps({"type": "run", "name": text, "host": text, "gpu_names": [text]}).encode() + b"\n")
    lines.insert(1, json.dumps({"type": text, text: text}).encode() + b"\n")
    return b"".join(lines)


def _toml(text: str) -> str:
    return json.dumps(text.encode(errors="replace").decode())


def _format(text: str) -> str:
    return f"""name = {_toml(text)}\nabout = {_toml(text)}
[[line]]\nkind = "iteration"\npattern = '^own (?P<iteration>\\d+) .* dt=(?P<duration_ms>N)ms'
[[example]]\nlog = {_toml("own 1 x dt=3ms " + text)}\niterations = [{{ index = 7, duration_s = 0.381, loss = 2.5 }}]
evaluations = [{{ iteration = 3, values = {{ {_toml(text)} = 1.0 }} }}]
"""


_GPU_WORDS = (b"* name", b"* uuid", b"- driver", b"- nvml")
_SAID_BYTES = 80  # NVML's names have 96, and the end is to be seen
_BAD = (
    "{t} = 3\n", "name = 3\n{t} = 4\n", "time_includes = [{t}]\n[[line]]\npattern = 'x'\n", "name = {t}\n", "= {t}",
    "[[line]]\nkind = {t}\npattern = 'x'\n", "[[line]]\npattern = {t}\n", "[[line]]\npattern = '(?P<{t}>x)'\n",
    "[[line]]\npattern = '(?P<loss>N)'\nunits = {{ {t} = {t} }}\n", "[[line]]\npattern = '(?P<loss>N'\n[{t}]\n",
)  # fmt: skip


@contextlib.contextmanager
def writer(paths: dict[str, str]) -> Iterator[None]:
    """A process that has the log as its output, with the payload as its name: `{pid}`."""
    name = paths["text"].encode(errors="replace").decode()
    with (
        Path(paths["log"]).open("ab") as log,
        subprocess.Popen([name, "60"], executable="sleep", stdout=log) as one,
    ):
        paths["pid"] = str(one.pid)
        yield
        one.kill()


@contextlib.contextmanager
def trainer(folder: Path, paths: dict[str, str]) -> Iterator[None]:
    """Something that listens where a trainer would, as the run `{live}`, and sends the recording to whoever comes."""
    sockets = folder / "sockets"
    sockets.mkdir(mode=0o700)
    data = Path(paths["recording"]).read_bytes()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(sockets / f"live.20260101-000001.{os.getpid()}.sock"))
        listener.listen()
        thread = threading.Thread(target=_send, args=(listener, data), daemon=True)
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)  # `accept` raises
        thread.join(10)


def _send(listener: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        while True:
            viewer, _ = listener.accept()
            with viewer, contextlib.suppress(OSError):
                viewer.settimeout(5)
                viewer.sendall(data)


def build_driver(folder: Path) -> Path | None:
    """The library of the tests that stands in for the driver's, in `folder`; `None` without a C compiler."""
    try:
        return standin.build(folder)
    except standin.NoCompilerError:
        return None


def gpus(folder: Path, library: Path, payload: str) -> dict[str, str]:
    """The environment in which a driver says the payload wherever it says words."""
    said = payload.encode(errors="surrogatepass").translate(None, b"\n\0")[:_SAID_BYTES]
    lines = [f"0 - gpus 2\n{standin.HEALTHY}".encode()]
    lines += [b"0 %s G%s%s\n" % (key, said, MARK.encode()) for key in _GPU_WORDS]
    (folder / "gpus").write_bytes(b"".join(lines))
    environment: dict[str, str] = standin.environment(library, folder / "gpus")
    return environment


def environment(folder: Path, paths: dict[str, str]) -> dict[str, str]:
    """What a person's environment says of itermon's places, with payloads where anything may stand."""
    text = paths["text"].encode(errors="replace").decode()
    return {
        "XDG_CONFIG_HOME": str(folder), "ITERMON_RUNS_DIR": str(folder / "runs"), "ITERMON_SOCKETS_DIR": str(folder / "sockets"),
        "PATH": f"{folder}/bin:{os.environ['PATH']}", "ITERMON_NAME": text, "CUDA_VISIBLE_DEVICES": text, "LANG": os.environ.get("LANG", "C.UTF-8"), "HOSTNAME": text,
    }  # fmt: skip
