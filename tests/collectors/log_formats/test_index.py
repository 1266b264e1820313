"""What formats need is kept, as long as their files are what they were; and never a reason to fail."""

import os

import pytest

from itermon.collectors.log_formats import index
from itermon.collectors.log_formats.base import Specificity

ENTRIES = (index.Entry("frameworks.one", "one", Specificity.FRAMEWORK, (("iter ", "loss"), ("",)), (("iter ",),)),)


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder with the file of one format, and a cache of its own."""
    (tmp_path / "formats" / "frameworks").mkdir(parents=True)
    (tmp_path / "formats" / "frameworks" / "one.py").write_text("")
    monkeypatch.setattr(index, "ROOM", tmp_path / "formats")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "formats"


def made_anew() -> bool:
    made = []
    assert index.kept(lambda: made.append(1) or ENTRIES) == ENTRIES
    return bool(made)


def cached(room):
    (path,) = (room.parent / "cache" / "itermon").iterdir()
    return path


def test_it_is_made_once_and_kept_for_us_alone(room):
    assert [made_anew() for _ in range(3)] == [True, False, False]
    assert cached(room).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", ["another size", "another time", "a new file", "a new folder", "a file less"])
def test_it_is_made_anew_when_a_file_has_changed(room, change):
    made_anew()
    one = room / "frameworks" / "one.py"
    if change == "another size":
        before = one.stat()
        one.write_text("# more")
        os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "another time":
        os.utime(one, ns=(1, 1))
    elif change == "a new file":
        (room / "two.toml").write_text("")
    elif change == "a new folder":
        (room / "more").mkdir()
        (room / "more" / "two.py").write_text("")
    else:
        one.unlink()
    assert made_anew()
    assert not made_anew()


def test_what_python_compiles_changes_nothing(room):
    made_anew()
    (room / "__pycache__").mkdir()
    (room / "__pycache__" / "one.cpython-311.py").write_text("")
    assert not made_anew()


@pytest.mark.parametrize("damaged", [b"", b"{", b"{}", b'{"stamps":[],"entries":[{"place":1}]}', b"\xff\0"])
def test_what_is_damaged_is_made_anew(room, damaged):
    made_anew()
    cached(room).write_bytes(damaged)
    assert made_anew()
    assert not made_anew()


def test_where_nothing_can_be_kept_nothing_is_made(room, monkeypatch):
    (room.parent / "cache").write_text("a file")
    assert index.kept(lambda: pytest.fail("made")) is None
    monkeypatch.setattr(index.run_files, "cache_dir", lambda: None)
    assert index.kept(lambda: pytest.fail("made")) is None


def test_a_link_in_the_cache_is_not_followed(room):
    made_anew()
    path = cached(room)
    path.rename(room.parent / "elsewhere")
    path.symlink_to(room.parent / "elsewhere")
    assert made_anew()
    assert not path.is_symlink()


def test_what_cannot_be_made_leaves_nothing_behind(room):
    with pytest.raises(ZeroDivisionError):
        index.kept(lambda: 1 // 0)
    assert not [*(room.parent / "cache" / "itermon").iterdir()]
