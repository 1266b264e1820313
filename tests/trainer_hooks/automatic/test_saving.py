"""Checkpoints, with stand-ins for the functions that save."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    CHECKPOINT,
    DRAIN,
    SpanBegin,
)
from itermon.trainer_hooks.automatic import (
    saving,
)

from .conftest import Recorder, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


def test_a_save_to_a_file_is_a_span_with_its_size(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    def save(state: bytes, f: Path) -> str:
        f.write_bytes(state)
        return "done"

    torch = module("torch", save=save)
    saving.install(watcher)
    assert torch.save(b"12345", tmp_path / "a.pt") == "done"
    assert torch.save(b"123", f=tmp_path / "b.pt") == "done"
    found = [(event.detail, event.values) for event in spans(recorder, CHECKPOINT)]
    assert found == [(str(tmp_path / "a.pt"), {"bytes": 5.0}), (str(tmp_path / "b.pt"), {"bytes": 3.0})]
    assert len([event for event in recorder.events if isinstance(event, SpanBegin)]) == 2


def test_a_save_into_an_open_file_is_one_of_that_file(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    torch = module("torch", save=lambda state, f: f.write(state))
    saving.install(watcher)
    with (tmp_path / "a.pt").open("wb") as file:
        torch.save(b"12345", file)
    torch.save(b"12345", io.BytesIO())
    (found,) = spans(recorder, CHECKPOINT)
    assert found.detail == str(tmp_path / "a.pt")


def test_of_nested_saves_the_outermost_counts_and_a_failed_one_ends(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    torch = module("torch", save=lambda state, f: Path(f).write_bytes(state))

    def save(state: bytes, *, checkpoint_id: str) -> None:
        torch.save(state, tmp_path / "part")
        raise OSError("full")

    distributed = module("torch.distributed.checkpoint", save=save)
    saving.install(watcher)
    with pytest.raises(OSError, match="full"):
        distributed.save(b"1", checkpoint_id="folder")
    torch.save(b"12", tmp_path / "whole")
    found = [(event.detail, event.values) for event in spans(recorder, CHECKPOINT)]
    assert found == [("folder", {}), (str(tmp_path / "whole"), {"bytes": 2.0})]


def test_what_goes_to_no_file_counts_if_it_takes_long_and_another_threads_never(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 0
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns)

    def save(duration_ns: int, f: object) -> None:
        nonlocal now_ns
        now_ns += duration_ns

    torch = module("torch", save=save)
    saving.install(watcher)
    for duration_ns in (10_000_000, 9_999_999):
        torch.save(duration_ns, object())
    torch.save(10_000_000, f=object())
    watcher.trainer_thread = -1
    torch.save(10_000_000, object())
    assert [event.duration_s for event in spans(recorder, CHECKPOINT)] == [0.01, 0.01]


def test_what_is_saved_is_not_taken_for_its_place(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType]
) -> None:
    distributed = module("torch.distributed.checkpoint", save=lambda state, *, storage_writer: None)
    saving.install(watcher)
    distributed.save("a state", storage_writer=object())
    assert [event for event in recorder.events if isinstance(event, SpanBegin)] == []


@pytest.mark.parametrize("writer", ["save_file", "save_model"])
def test_safetensors_take_the_file_second_or_by_its_name(
    writer: str, watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType]
) -> None:
    safetensors = module("safetensors.torch", **{writer: lambda tensors, filename, metadata=None: None})
    saving.install(watcher)
    getattr(safetensors, writer)("tensors", "a.safetensors", "metadata")
    getattr(safetensors, writer)("tensors", filename="b.safetensors")
    assert [event.detail for event in spans(recorder, CHECKPOINT)] == ["a.safetensors", "b.safetensors"]


@pytest.mark.parametrize("writer", ["save", "async_save"])
def test_a_distributed_checkpoint_takes_its_folder_by_name_alone(
    writer: str, watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType]
) -> None:
    distributed = module("torch.distributed.checkpoint", **{writer: lambda state, *, checkpoint_id: None})
    saving.install(watcher)
    getattr(distributed, writer)("state", checkpoint_id="folder")
    assert [event.detail for event in spans(recorder, CHECKPOINT)] == ["folder"]


class Trainer:
    """As transformers': saving a checkpoint saves the model, and then what belongs to it."""

    def __init__(self, folder: Path, torch: ModuleType) -> None:
        self.folder, self.torch = folder, torch

    def save_model(self, output_dir: Path) -> None:
        (output_dir / "shards").mkdir(parents=True)
        (output_dir / "shards" / "model-1.safetensors").write_bytes(b"1234567")

    def _save_checkpoint(self, model: object, trial: object) -> None:
        self.save_model(self.folder)
        self.torch.save(b"123", self.folder / "optimizer.pt")


def test_a_folder_is_one_checkpoint_with_all_that_was_written_into_it(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    torch = module("torch", save=lambda state, f: f.write_bytes(state))
    fresh = type("Trainer", (Trainer,), {})
    module("transformers.trainer", Trainer=fresh)
    saving.install(watcher)
    tmp_path.joinpath("checkpoint-5").mkdir()
    old = tmp_path / "checkpoint-5" / "of-before.pt"
    old.write_bytes(b"123456789")
    os.utime(old, (1.0, 1.0))
    fresh(tmp_path / "checkpoint-5", torch)._save_checkpoint("model", None)
    fresh(tmp_path, torch).save_model(output_dir=tmp_path / "last")
    found = [(event.detail, event.values) for event in spans(recorder, CHECKPOINT)]
    assert found == [
        (str(tmp_path / "checkpoint-5"), {"bytes": 10.0}),
        (str(tmp_path / "last"), {"bytes": 7.0}),
    ]


def test_of_a_folder_with_too_many_files_the_size_is_not_known(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    def save(accelerator: object, output_dir: Path | None = None) -> str:
        for number in range(1001):
            (tmp_path / str(number)).touch()
        return str(tmp_path)

    accelerator = type("Accelerator", (), {"save_state": save})
    module("accelerate.accelerator", Accelerator=accelerator)
    saving.install(watcher)
    accelerator().save_state()  # type: ignore[attr-defined]
    accelerator().save_state(tmp_path)  # type: ignore[attr-defined]
    assert [(event.detail, event.values) for event in spans(recorder, CHECKPOINT)] == [(str(tmp_path), {})] * 2


def test_an_asynchronous_save_is_told_apart_from_what_is_written_after_it(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 10**9
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns)
    written: Future[None] = Future()

    def save(state: str, *, checkpoint_id: str) -> object:
        nonlocal now_ns
        now_ns += 2_000_000_000
        return SimpleNamespace(upload_completion=written) if state == "new" else written

    distributed = module("torch.distributed.checkpoint", async_save=save)
    saving.install(watcher)
    distributed.async_save("new", checkpoint_id="a")
    distributed.async_save("old", checkpoint_id="b")
    now_ns += 5_000_000_000
    written.set_result(None)
    assert [(event.detail, event.duration_s) for event in spans(recorder, CHECKPOINT)] == [("a", 2.0), ("b", 2.0)]
    assert [(event.detail, event.duration_s) for event in spans(recorder, DRAIN)] == [("a", 7.0), ("b", 5.0)]


def test_only_what_is_asked_for_is_wrapped(watcher: Watcher, module: Callable[..., ModuleType]) -> None:
    def save(state: bytes, f: Path) -> None:
        """As torch's."""

    torch, fresh = module("torch", save=save), type("Trainer", (Trainer,), {"save_model": Trainer.save_model})
    module("transformers.trainer", Trainer=fresh)
    saving.install(watcher, of=("transformers",))
    assert torch.save is save
    assert fresh.save_model is not Trainer.save_model


def signature(text: str) -> Callable[..., object]:
    """A function with this signature, which does nothing."""
    made: dict[str, Callable[..., object]] = {}
    exec(f"def saves{text}: pass", made)
    return made["saves"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("torch:save", "(obj, f, pickle_module=None)"),
        ("safetensors.torch:save_file", "(tensors, filename, metadata=None)"),
        ("safetensors.torch:save_model", "(model, filename, metadata=None)"),
        ("transformers.modeling_utils:PreTrainedModel.save_pretrained", "(self, save_directory, is_main=True)"),
        (
            "transformers.tokenization_utils_base:PreTrainedTokenizerBase.save_pretrained",
            "(self, save_directory, legacy_format=None)",
        ),
        ("transformers.processing_utils:ProcessorMixin.save_pretrained", "(self, save_directory, push=False)"),
        ("transformers.trainer:Trainer.save_model", "(self, output_dir=None, _internal_call=False)"),
        ("peft.peft_model:PeftModel.save_pretrained", "(self, save_directory, safe_serialization=True)"),
        ("accelerate.accelerator:Accelerator.save_state", "(self, output_dir=None, safe=True)"),
        ("accelerate.accelerator:Accelerator.save_model", "(self, model, save_directory, max_shard_size=1)"),
        ("deepspeed.runtime.engine:DeepSpeedEngine.save_checkpoint", "(self, save_dir, tag=None)"),
        ("lightning.pytorch.trainer.trainer:Trainer.save_checkpoint", "(self, filepath, weights_only=False)"),
        ("lightning.fabric.fabric:Fabric.save", "(self, path, state, filter=None)"),
        (
            "lightning.fabric.plugins.io.torch_io:TorchCheckpointIO.save_checkpoint",
            "(self, checkpoint, path, storage_options=None)",
        ),
        ("pytorch_lightning.trainer.trainer:Trainer.save_checkpoint", "(self, filepath, weights_only=False)"),
        ("lightning_fabric.fabric:Fabric.save", "(self, path, state, filter=None)"),
        (
            "lightning_fabric.plugins.io.torch_io:TorchCheckpointIO.save_checkpoint",
            "(self, checkpoint, path, storage_options=None)",
        ),
    ],
)
def test_each_frameworks_own_way_to_save_says_where(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], name: str, text: str
) -> None:
    """By the frameworks' own signatures: the target by its place, and by its name."""
    where, _, called = name.partition(":")
    owner, _, function = called.rpartition(".")
    contents = {function: signature(text)}
    saves = module(where, **({owner: type(owner, (), contents)} if owner else contents))
    saving.install(watcher)
    target = getattr(saves, owner)() if owner else saves
    names = [each.split("=")[0] for each in text.strip("()").split(", ") if each != "self"]
    (place,) = [n for n, each in enumerate(names) if each in saving_names()]
    before = ["model"] * place
    rest = ["state"] * (len(names) - place - 2)
    getattr(target, function)(*before, "by/place", *rest)
    getattr(target, function)(**(dict.fromkeys(names, "state") | {names[place]: "by/name"}))
    assert [event.detail for event in spans(recorder, CHECKPOINT)] == ["by/place", "by/name"]
    begun = [event.detail for event in recorder.events if isinstance(event, SpanBegin)]
    assert begun == ["by/place", "by/name"]


def saving_names() -> set[str]:
    return {"f", "filename", "save_directory", "output_dir", "save_dir", "filepath", "path"}
