import os

from campaigns import wandb_writer as w

from itermon.collectors.trackers.wandb.finding import holds_runs, is_run_file, newest_run


def run(folder, name, data=w.MAGIC):
    (folder / name).mkdir(parents=True)
    file = folder / name / f"run-{name[-3:]}.wandb"
    file.write_bytes(data)
    return file


def test_a_run_file_is_known_by_its_beginning(tmp_path):
    (tmp_path / "a").write_bytes(w.MAGIC + b"x")
    (tmp_path / "b.wandb").write_bytes(b"no run")
    (tmp_path / "c.wandb").write_bytes(b"")
    found = [is_run_file(tmp_path / name) for name in ("a", "b.wandb", "c.wandb", "none")]
    assert found == [True, False, True, False]


def test_the_newest_run_is_the_one_that_began_last_whatever_a_copy_made_of_its_time(tmp_path):
    newest = run(tmp_path, "run-20240102_000000-bbb")
    for name in ("run-20240101_000000-aaa", "offline-run-20231231_235959-ccc"):
        os.utime(run(tmp_path, name), (2e9, 2e9))
    assert newest_run(tmp_path) == newest
    assert newest_run(tmp_path / "run-20240101_000000-aaa").name == "run-aaa.wandb"


def test_the_folder_of_a_project_and_the_link_to_the_latest(tmp_path):
    file = run(tmp_path / "wandb", "run-20240102_000000-bbb")
    (tmp_path / "wandb" / "latest-run").symlink_to(file.parent)
    assert newest_run(tmp_path) == file
    assert newest_run(tmp_path / "wandb" / "latest-run").name == file.name
    assert [holds_runs(tmp_path / name) for name in ("", "wandb", "wandb/latest-run")] == [False, True, True]


def test_runs_without_a_file_and_folders_that_are_none(tmp_path):
    (tmp_path / "run-20240102_000000-bbb").mkdir()
    assert newest_run(tmp_path) is None
    assert newest_run(tmp_path / "none") is None
    assert not holds_runs(tmp_path / "none")
