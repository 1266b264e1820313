"""Files of metrics are read as they grow, together in the order of their times, however unequal they are."""

from __future__ import annotations

from pathlib import Path

from itermon.collectors.trackers.stores.metric_files import MetricFiles, Value


def test_half_a_line_waits_for_its_rest(tmp_path: Path) -> None:
    file = tmp_path / "loss"
    file.write_text("1000 3.0 0\n2000 2.")
    files = MetricFiles(tmp_path)
    assert files.new() == [Value(1.0, 0, "loss", 3.0)]
    with file.open("a") as more:
        more.write("5 1\n")
    assert files.new() == [Value(2.0, 1, "loss", 2.5)]


def test_a_long_file_does_not_run_ahead_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "often").write_text("".join(f"{1000 * n} 1.0 {n}\n" for n in range(20_000)))
    (tmp_path / "seldom").write_text("".join(f"{1000 * n} 2.0 {n}\n" for n in range(0, 20_000, 100)))
    files, found = MetricFiles(tmp_path), []
    while news := files.new():
        found += news
    assert len(found) == 20_200
    assert [value.at_s for value in found] == sorted(value.at_s for value in found)


def test_a_line_that_is_none_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "loss").write_text("x y z\n\n1000 3.0\n1000 nan 2\n2000 1.0 1e3\n" + "9" * 5_000 + "\n")
    found = MetricFiles(tmp_path).new()
    assert [(value.step, value.value == value.value) for value in found] == [(0, True), (2, False)]


def test_a_folder_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    assert MetricFiles(tmp_path / "metrics").new() == []


def test_a_piece_of_a_file_is_given_whole(tmp_path: Path) -> None:
    text = "".join(f"{1000 * n} 1.0 {n}\n" for n in range(10_000))
    (tmp_path / "loss").write_text(text)
    assert len(MetricFiles(tmp_path).new()) == text[: 1 << 16].count("\n")


def test_of_a_piece_with_one_line_that_is_one_that_line_is_given(tmp_path: Path) -> None:
    (tmp_path / "loss").write_text("1000 1.0 7\n" + "x\n" * (1 << 15))
    assert MetricFiles(tmp_path).new() == [Value(1.0, 7, "loss", 1.0)]


def test_files_that_end_at_different_times_are_given_to_their_ends(tmp_path: Path) -> None:
    (tmp_path / "loss").write_text("1000 3.0 0\n3000 2.0 2\n")
    (tmp_path / "val").write_text("2000 4.0 1\n")
    assert [(value.at_s, value.name) for value in MetricFiles(tmp_path).new()] == [
        (1.0, "loss"),
        (2.0, "val"),
        (3.0, "loss"),
    ]


def test_a_file_that_cannot_be_read_keeps_no_other_waiting(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loss").write_text("1000 3.0 0\n")
    assert MetricFiles(tmp_path).new() == [Value(1.0, 0, "loss", 3.0)]
