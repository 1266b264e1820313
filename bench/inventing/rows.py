"""One row of an invented log, by the kind of script that prints it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from .scripts import BLOCKS, DICTS, EPISODES, ESTIMATOR, JSON, LOGFMT, PRINTED, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from .prints import Printer
    from .trainings import Step

TABLE_HEAD = ("epoch", "step", "loss", "lr", "time (s)")
COLUMN = 12


def _json(printer: Printer, one: Step, loss: str) -> str:
    """Named values on one line."""
    script = printer.script
    named: dict[str, object] = {script.step_name: one.place + script.batch_from}
    if script.epochs_in_rows:
        named["epoch"] = one.epoch + script.epoch_from
    named[script.loss_word] = float(loss)
    steps = max(1, one.place - printer.last_row_place)
    times = {
        "step_time": one.duration_s,
        "timestamp": one.ends_s,
        "elapsed": one.ends_s - printer.begun_s,
        "time": (one.ends_s - printer.last_s) / steps,
    }
    if script.named_time:
        named[script.named_time] = round(times[script.named_time], 4)
    return json.dumps(named | {"lr": 0.001})


def _dict(printer: Printer, one: Step, loss: str) -> str:
    """As Python prints one."""
    done = (one.place + 1) / printer.plan.batches
    return f"{{'loss': {loss}, 'learning_rate': 0.0001, 'epoch': {done:.2f}, 'step': {one.place + 1}}}"


def _table(printer: Printer, one: Step, loss: str) -> str:
    """Columns below names; `time` is that of one step, or that since the beginning."""
    script = printer.script
    took_s = one.duration_s if script.named_time == "step_time" else one.ends_s - printer.begun_s
    values = (one.epoch + script.epoch_from, one.place + script.batch_from, loss, "1.0e-03", f"{took_s:.3f}")
    return table_line(values, bars=script.epochs_in_rows)


def table_line(values: tuple[object, ...], *, bars: bool) -> str:
    """With or without bars between the columns."""
    if bars:
        return "| " + " | ".join(str(value).rjust(COLUMN) for value in values) + " |"
    return "".join(str(value).rjust(COLUMN) for value in values)


def _block(printer: Printer, one: Step, loss: str) -> str:
    """A line for each value, an empty one behind them."""
    script = printer.script
    lines = [f"{script.step_name.capitalize()}: {one.place + script.batch_from}"]
    if script.epochs_in_rows:
        lines.insert(0, f"Epoch: {one.epoch + script.epoch_from}")
    lines += [f"    {script.loss_word}: {loss}", "    lr: 0.001"]
    if time := printer.time(one):
        lines.append(f"    {time}")
    return "\n".join([*lines, ""])


def _logfmt(printer: Printer, one: Step, loss: str) -> str:
    """Pairs of names and values."""
    script = printer.script
    clock = datetime.fromtimestamp(one.ends_s, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    epoch = f" epoch={one.epoch + script.epoch_from}" if script.epochs_in_rows else ""
    place = one.place + script.batch_from
    return f'time={clock} level=info msg="train"{epoch} {script.step_name}={place} loss={loss} lr=0.001'


def _estimator(printer: Printer, one: Step, loss: str) -> str:
    """As TensorFlow's Estimator: the seconds are those since the row before, which a process's first has not."""
    row = f"INFO:tensorflow:loss = {loss}, step = {one.place + 1}"
    if printer.is_first_row:
        return row
    since_s, steps = one.ends_s - printer.last_s, one.place - printer.last_row_place
    return f"INFO:tensorflow:global_step/sec: {steps / since_s:.6g}\n{row} ({since_s:.3f} sec)"


def _episode(printer: Printer, one: Step, loss: str) -> str:
    """Of one that plays: what an episode is made of is no step of ours."""
    script, random = printer.script, printer.random
    total = f"/{printer.plan.total}" if script.says_epochs else ""
    parts = [
        f"Episode {one.place + script.batch_from}{total}",
        f"Steps: {random.randint(20, 500)}",
        f"Reward: {random.uniform(-20, 200):.2f}",
        f"Loss: {loss}",
        f"Epsilon: {max(0.05, 1 - one.place / printer.plan.total):.3f}",
        printer.time(one),
    ]
    return script.separator.join(filter(None, parts))


def _printed(printer: Printer, one: Step, loss: str) -> str:
    """`print(metrics)`, alone or behind its place; a loss may be a number of a library's own."""
    script, place = printer.script, one.place + printer.script.batch_from
    shown = (loss, f"tensor({loss}, device='cuda:0')", f"np.float64({loss})")[len(script.loss_word) % 3]
    values = f"'{script.loss_word}': {shown}, 'lr': 0.001"
    if script.epochs_in_rows:
        return f"{script.step_name.capitalize()} {place}: {{{values}}}"
    return f"{{'{script.step_name}': {place}, {values}}}"


ROWS: dict[str, Callable[[Printer, Step, str], str]] = {
    JSON: _json,
    DICTS: _dict,
    TABLE: _table,
    BLOCKS: _block,
    LOGFMT: _logfmt,
    ESTIMATOR: _estimator,
    EPISODES: _episode,
    PRINTED: _printed,
}
