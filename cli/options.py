"""Options that several commands share: what the person knows of the run, and how to draw."""

from __future__ import annotations

import os
import time
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..reports.clock_time import at_clock_time
from ..words import did_you_mean
from .printing import harmless, print_note

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractContextManager

    from ..collectors.log_formats.base import LogFormat
    from ..collectors.source import Source
    from ..events import Config
    from ..notices.on_screen import OnScreen
    from .sources import GpuLog


_UNITS = {"T": 1e12, "P": 1e15}
_MOST_AMOUNT = 1e21  # as `events.Quantity`


def flops_rate(text: str) -> float:
    """FLOP/s, written as a number (`989.4e12`) or with a unit (`989.4T`, `1.98P`).

    Raises `click.BadParameter`, for a rate that no GPU can have too: it is a forgotten unit.
    """
    unit = _UNITS.get(text[-1:].upper(), 1.0)
    try:
        rate = float(text[:-1] if unit > 1 else text) * unit
    except ValueError:
        raise click.BadParameter(f"{text!r} is no rate. Write 989.4e12 or 989.4T.") from None
    if not 1e9 <= rate < 1e18:
        raise click.BadParameter(f"{text} FLOP/s is no GPU's peak. Write 989.4T for 989.4 TFLOP/s.")
    return rate


def amount(text: str) -> float:
    """A number of something, written `12.5` or `10e9`.

    Raises `click.BadParameter`, for nan and for more than there is of anything too.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= _MOST_AMOUNT:
        raise click.BadParameter(f"{text[:40]!r} is no number from 0 to {_MOST_AMOUNT:.0e}.")
    return number


def moment(text: str) -> float:
    """A time of the clock, as a Unix time. Raises `click.BadParameter`."""
    try:
        return at_clock_time(text, time.time())
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


class _Setting(NamedTuple):
    """A flag that becomes a field of `Config`."""

    flag: str
    field: str
    type: Any
    metavar: str
    help: str


class ExistingFile(click.Path):
    """The path of a file that is there; of one that is not, the name that is nearly it."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does."""
        path = Path(value)
        if not path.exists() and path.parent.is_dir():
            near = did_you_mean(path.name, os.listdir(path.parent))  # noqa: PTH208 - names, not paths
            self.fail(f"{value}: no such file{near}", param, ctx)
        return super().convert(value, param, ctx)


def _range_in_words(limits: click.IntRange | click.FloatRange) -> str:
    """For help and errors: `1 or more`, `0.1 to 3600`."""
    if limits.max in (None, 2**53 - 1):
        return f"more than {limits.min}" if limits.min_open else f"{limits.min} or more"
    return f"{limits.min} to {limits.max}"


class WholeNumber(click.IntRange):
    """As click's, in a person's words: "'abc' is not a valid whole number"."""

    name = "whole number"
    _describe_range = _range_in_words


class Number(click.FloatRange):
    """As click's, in a person's words."""

    name = "number"
    _describe_range = _range_in_words


COUNT = WholeNumber(min=1, max=2**53 - 1)
_SETTINGS = (
    _Setting("--batch-size", "micro_batch_size", COUNT, "N", "sequences in one micro-step, on one GPU"),
    _Setting("--block-size", "block_size", COUNT, "N", "tokens in one sequence"),
    _Setting("--gradient-accumulation", "gradient_accumulation", COUNT, "N", "micro-steps an iteration, a GPU"),
    _Setting("--world-size", "world_size", COUNT, "N", "GPUs that train together"),
    _Setting("--max-iters", "max_iterations", COUNT, "N", "iteration at which the run ends"),
    _Setting("--log-interval", "log_interval", COUNT, "N", "iterations between two lines of the log"),
    _Setting("--eval-interval", "evaluation_interval", COUNT, "N", "iterations between two evaluations"),
    _Setting("--checkpoint-interval", "checkpoint_interval", COUNT, "N", "iterations between two checkpoints"),
    _Setting("--gpu-name", "gpu_name", harmless, "NAME", "the run's GPU, if not this machine's: \"NVIDIA H200\""),
    _Setting("--peak-flops", "peak_flops", flops_rate, "FLOP/S", "peak of a GPU, dense, in its precision: 989.4T"),
    _Setting("--cost-per-hour", "cost_per_hour", amount, "PRICE", "price of an hour of the whole run"),
    _Setting("--budget", "budget", amount, "COST", "what it may cost: said once it will cost more"),
    _Setting("--deadline", "deadline_at_s", moment, "TIME", "18:00, 2026-12-01T18:00: said once it will be late"),
)


def run_options(command: Callable[..., Any], *, without: Collection[str] = ()) -> Callable[..., Any]:
    """Add the options that say what the person knows of the run, but for the fields in `without`.

    The command gets them as one argument `settings`: a list of `Config` events, each with its flag as origin,
    that win over everything a log says.
    """
    settings = [setting for setting in _SETTINGS if setting.field not in without]

    @wraps(command)
    def with_settings(config: Path | None, **arguments: Any) -> Any:
        given = {setting: arguments.pop(setting.field) for setting in settings}
        return command(settings=_configs(config, given), **arguments)

    decorated: Callable[..., Any] = with_settings
    for setting in reversed(settings):
        decorated = click.option(
            setting.flag, setting.field, type=setting.type, metavar=setting.metavar, help=setting.help
        )(decorated)
    about = "nanoGPT config file of the run (train_gpt2.py): read, never executed"
    return click.option("--config", type=ExistingFile(), help=about)(decorated)


def column_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that corrects the guess of a table's columns. The command gets `formats`, or `None`: all."""

    @wraps(command)
    def with_formats(columns: tuple[str, ...], **arguments: Any) -> Any:
        formats = None
        if columns:
            from ..collectors.log_formats.registry import formats_with_columns

            try:
                formats = formats_with_columns(columns)
            except ValueError as error:
                raise click.BadParameter(str(error), param_hint="--column") from None
        return command(formats=formats, **arguments)

    return click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="FIELD=NAME[:UNIT]",
        help="what a column of a JSON, CSV or key=value log is: iteration=step, duration=dt:ms; may be repeated",
    )(with_formats)


def _configs(file: Path | None, given: dict[_Setting, Any]) -> list[Config]:
    from ..collectors.nanogpt_config import read_config
    from ..events import Config

    flags = [Config(origin=s.flag, **{s.field: value}) for s, value in given.items() if value is not None]
    if any(s.field == "budget" for s in given if given[s]) and not any(flag.cost_per_hour for flag in flags):
        print_note("--budget: what it costs is known only where a price is: --cost-per-hour PRICE")
    if file is None:
        return flags
    try:
        from_file = read_config(file)
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror or error}", param_hint="--config") from None
    for problem in from_file.problems:
        print_note(problem)
    return [from_file.config, *flags]


def _shift(text: str) -> float:
    """By how much a clock is behind. Raises `click.BadParameter`."""
    from ..collectors.gpu_logs.clocks import parse_offset

    try:
        return parse_offset(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_gpu_log = click.option(
    "--gpu-log",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="a recording of the GPUs beside the log, joined by its clock: of nvidia-smi (--query-gpu --format=csv,"
    " dmon -o DT), dcgmi dmon, gpustat --json, nvitop, itermon gpus --watch, or a CSV with headings",
)
_offset = click.option(
    "--gpu-log-offset",
    type=_shift,
    metavar="TIME",
    help="by how much the recording's clock is behind the log's (2h, -30m); found out if not given",
)


_run = click.option(
    "--run",
    "tracked",
    default="",
    metavar="NAME",
    help="of a folder or a database in which a tracker keeps several runs, the one of this name; else the newest",
)


def gpu_log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--gpu-log` and `--gpu-log-offset`. The command gets them as `gpu_log`, or `None`."""

    @wraps(command)
    def with_gpu_log(gpu_log: Path | None, gpu_log_offset: float | None, **arguments: Any) -> Any:
        if gpu_log is None and gpu_log_offset is not None:
            raise click.UsageError("--gpu-log-offset moves the clock of a recording: --gpu-log FILE names it.")
        from .sources import GpuLog

        return command(gpu_log=None if gpu_log is None else GpuLog(gpu_log, gpu_log_offset), **arguments)

    return _gpu_log(_offset(with_gpu_log))


def read_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a run is read: its settings, its columns, a recording beside it.

    The command gets them as `options` (`OpenOptions`).
    """

    @wraps(command)
    def with_options(
        settings: list[Config],
        formats: Sequence[LogFormat] | None,
        gpu_log: GpuLog | None,
        tracked: str,
        **arguments: Any,
    ) -> Any:
        from .sources import OpenOptions

        return command(options=OpenOptions(settings, formats, gpu_log=gpu_log, run=tracked), **arguments)

    return run_options(column_option(gpu_log_options(_run(with_options))))


class Machine(NamedTuple):
    """What the person wants to be sampled of this machine."""

    pid: int | None
    gpus: str | None
    sampled: bool

    def sources(
        self,
        log: str | None = None,
        pid: int | None = None,
        checkpoints: Callable[[], str | None] = lambda: None,
    ) -> list[Source]:
        """The samplers of this machine, for a run that writes `log` ("-": standard input) or has process `pid`.

        `checkpoints` says where its checkpoints go, once that is known.
        """
        if not self.sampled:
            return []
        from ..collectors.machine import machine_sources

        place = None if log is None else 0 if log == "-" else Path(log)
        return machine_sources(pid=self.pid or pid, log=place, gpus=self.gpus, checkpoints=checkpoints)


def machine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what of this machine is sampled. The command gets them as `machine`."""

    @wraps(command)
    def with_machine(pid: int | None, gpus: str | None, *, sampled: bool, **arguments: Any) -> Any:
        return command(machine=Machine(pid, gpus, sampled), **arguments)

    decorated: Callable[..., Any] = with_machine
    decorated = click.option(
        "--no-machine", "sampled", flag_value=False, default=True, help="sample neither GPUs nor processes here"
    )(decorated)
    decorated = click.option(
        "--gpu",
        "gpus",
        metavar="LIST",
        help="GPUs to show: numbers as in nvidia-smi, UUIDs, or all; found out if not given",
    )(decorated)
    return click.option(
        "--pid",
        type=WholeNumber(min=1),
        metavar="PID",
        help="the trainer's process, if it is not the one that writes the log; without PATH, its log is found",
    )(decorated)


THEMES = ("auto", "dark", "light", "ansi")
"""Those of `tui.drawing.palettes`, and `auto`: none is kept."""


class ScreenOptions(NamedTuple):
    """How the person wants the screen to be drawn."""

    ascii_only: bool = False
    mouse: bool = True
    theme: str = ""
    told: Callable[[str], AbstractContextManager[OnScreen]] | None = None
    """Of the run with this title: who tells of it while it is on the screen."""


def screen_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to draw. The command gets them as `screen`."""

    @wraps(command)
    def with_screen(*, ascii_only: bool, mouse: bool, theme: str | None, **arguments: Any) -> Any:
        return command(screen=ScreenOptions(ascii_only, mouse, theme or ""), **arguments)

    ascii_option = click.option(
        "--ascii", "ascii_only", is_flag=True, help="draw with ASCII alone (found out where there is no UTF-8)"
    )
    mouse_option = click.option(
        "--no-mouse", "mouse", flag_value=False, default=True, help="leave the mouse to the terminal"
    )
    theme_option = click.option(
        "--theme",
        type=click.Choice(THEMES),
        help="the colours, kept for the next time; auto, as the first time: by the terminal's background",
    )
    return ascii_option(theme_option(mouse_option(with_screen)))
