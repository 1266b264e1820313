"""Whatever stands at a path: its open returns at once, with what was asked for or with one reason."""

from __future__ import annotations

import ast
import os
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import itermon
from itermon import opening

ROOT = Path(itermon.__file__).parent


def made(path: Path, kind: str) -> Path:
    """Make `path` something else than a file."""
    if kind == "a directory":
        path.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("kind", ["a directory", "a named pipe", "a socket", "a device"])
def test_what_is_no_file_is_refused_with_what_it_is(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path / "train.log", kind)
    with pytest.raises(opening.RefusedError) as refused:
        opening.open_file(path)
    assert refused.value.strerror == f"{kind}, not a file"
    assert refused.value.filename == str(path)
    with pytest.raises(OSError, match=r"not a file|symbolic link"):
        opening.append(path)


def test_the_writer_of_a_pipe_that_is_refused_never_notices(tmp_path: Path) -> None:
    """An open and a close would end it (SIGPIPE), if it just waits for a reader."""
    path = made(tmp_path / "pipe", "a named pipe")
    written: list[int] = []

    def write() -> None:
        fd = os.open(path, os.O_WRONLY)
        written.append(os.write(fd, b"iter 1: loss 2.5\n"))
        os.close(fd)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(opening.RefusedError):
        opening.open_file(path)
    reader = opening.open_pipe(path)
    writer.join(10.0)
    assert written == [17]
    assert os.read(reader, 100) == b"iter 1: loss 2.5\n"
    os.close(reader)


def test_a_pipe_without_a_writer_is_opened_at_once(tmp_path: Path) -> None:
    os.close(opening.open_pipe(made(tmp_path / "pipe", "a named pipe")))
    with pytest.raises(opening.RefusedError, match="a directory, not a named pipe"):
        opening.open_pipe(tmp_path)


def test_a_link_is_followed_where_a_person_named_it_and_not_in_a_folder_of_ours(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("words")
    link = tmp_path / "link"
    link.symlink_to("there")
    assert opening.read_bytes(link, 3) == b"wor"
    with pytest.raises(opening.RefusedError, match="a symbolic link, not a file"):
        opening.open_file(link, ours=True)
    with pytest.raises(opening.RefusedError, match="a symbolic link, not a file"):
        opening.append(link)
    with pytest.raises(FileExistsError):
        opening.create(link)


def test_what_is_written_is_ours_alone_and_appended(tmp_path: Path) -> None:
    for _ in range(2):
        fd = opening.append(tmp_path / "new")
        os.write(fd, b"line\n")
        os.close(fd)
    assert (tmp_path / "new").read_bytes() == b"line\nline\n"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_nothing_is_written_to_another_users_file(tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.touch()
    os.chown(path, 4343, 4343)
    with pytest.raises(opening.RefusedError, match="another user \\(uid 4343\\)"):
        opening.append(path)


OPENS = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "connect", "mkfifo"}
ELSEWHERE = {
    "cli/commands/demo.py": "the demo's own folder, which it has just made",
    "cli/commands/stream.py": "/dev/null",
    "cli/streams.py": "/dev/null",
    "cli/writing.py": "a new file beside the one that the person named",
    "cli/sources.py": "/dev/tty, the person's own terminal",
    "collectors/runs/connecting.py": "the one way to connect",
    "collectors/prometheus/wire.py": "a TCP connection to the server whose URL was given",
    "collectors/trackers/stores/database.py": "SQLite opens its file itself; it was looked at as a file before",
    "collectors/trackers/stores/zipped.py": "a file inside a zip that was opened before",
    "launch/demo_trainer.py": "the demo's own folder",
    "launch/supervisor.py": "/dev/null",
    "notices/webhooks.py": "a web address",
    "notices/to_terminal.py": "the terminal of this process",
    "reports/html/page.py": "the page's own style and script, in the package",
    "opening.py": "the one way to open",
    "trainer_hooks/stacks/witness.py": "a file in memory, which has no path",
    "trainer_hooks/startup/sitecustomize.py": "an empty file that must not be there, and runs in any Python",
    "tui/drawing/leaving.py": "the terminal that the screen was drawn on",
}


def opens(tree: ast.AST) -> Iterator[str]:
    """The calls that open something, but for those of `opening` and of objects that are no paths."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id == "open":
                yield "open"
            elif isinstance(function, ast.Attribute) and function.attr in OPENS:
                yield ast.unparse(function)


def test_nothing_else_opens_anything() -> None:
    of_no_path = {"opening.read_bytes", "self.library.open", "os.fdopen", "live.open"}
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ("*.py", "[a-z]*/**/*.py")
        for path in ROOT.glob(room)
        if path.relative_to(ROOT).parts[0] not in ("tests", "bench", "screenshots")
        if set(opens(ast.parse(path.read_text(encoding="utf-8")))) - of_no_path
    }
    assert found == set(ELSEWHERE)
    assert all(ELSEWHERE.values())
