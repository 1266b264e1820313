"""The lines and frames that come while an epoch is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .wording import BAR, NESTED, TURNS

if TYPE_CHECKING:
    from .tape import Iteration
    from .writer import Writer

SMOOTHING = 0.3


class Bar:
    """A bar of tqdm: its rate is smoothed, but for the last frame's, which is the mean of all."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.steps = self.seconds = 0.0
        self.done, self.spent_s = 0, 0.0

    def frame(self, done: int, of: int, spent_s: float, postfix: str = "") -> str:
        """The newest frame, without what closes it."""
        steps, seconds = done - self.done, spent_s - self.spent_s
        self.done, self.spent_s = done, spent_s
        self.steps = SMOOTHING * steps + (1 - SMOOTHING) * self.steps
        self.seconds = SMOOTHING * seconds + (1 - SMOOTHING) * self.seconds
        rate = done / max(spent_s, 1e-6) if done == of else self.steps / max(self.seconds, 1e-6)
        left_s = (of - done) / rate
        speed = f"{rate:5.2f}it/s" if rate >= 1 else f"{1 / rate:5.2f}s/it"
        clock = f"{int(spent_s) // 60:02d}:{int(spent_s) % 60:02d}<{int(left_s) // 60:02d}:{int(left_s) % 60:02d}"
        title = f"{self.title}: " if self.title else ""
        drawn = f"{'█' * int(10 * done / of):<10}"
        return f"{title}{100 * done / of:3.0f}%|{drawn}| {done}/{of} [{clock}, {speed}{postfix}]"


def epoch_begins(w: Writer) -> None:
    """A bar begins anew with each epoch."""
    script, phase = w.script, w.plan.phases[w.phase]
    if script.style not in (BAR, NESTED):
        return
    titles = {
        0: "",
        1: f"Epoch {w.epoch + script.epoch_from}",
        2: f"Epoch {w.epoch + script.epoch_from}/{phase.epochs}",
        3: script.set_words["train"],
    }
    w.bar = Bar(titles[script.every % 4])


def row(w: Writer, one: Iteration) -> None:
    """A row of one step."""
    if w.script.style in (BAR, NESTED):
        _frame(w, one)
        return
    if w.script.style == TURNS:
        _turns(w, one)
        return
    losses = tuple(round(one_loss, 4) for one_loss in _losses(w))
    _say(w, one, losses, w.script.losses)


def _losses(w: Writer) -> list[float]:
    """The newest loss, and its parts where it has any."""
    loss = w.losses[-1]
    if len(w.script.losses) == 1:
        return [loss]
    return [loss, 0.71 * loss, 0.29 * loss]


def _turns(w: Writer, one: Iteration) -> None:
    """A row of the one network, then one of the other."""
    loss = w.losses[-1]
    for name, value in (("D", 0.5 + 0.1 * loss), ("G", 2.0 + loss)):
        joined = f"[{name}] " if w.script.batch_from else ""
        _say(w, one, (round(value, 4),), (f"{name}_loss" if not joined else "loss",), joined)


def _say(w: Writer, one: Iteration, losses: tuple[float, ...], names: tuple[str, ...], head: str = "") -> None:
    script, phase = w.script, w.plan.phases[w.phase]
    counts = _counts(w, one)
    place = script.place.format(
        epoch=one.epoch + script.epoch_from,
        epochs=phase.epochs,
        batches=phase.batches,
        steps=phase.epochs * phase.batches,
        all_samples=phase.batches * w.plan.batch_size,
        percent=100 * one.batch / phase.batches,
        fraction=(one.place + 1) / phase.batches,
        **counts,
    )
    mean = sum(w.losses) / len(w.losses)
    told = [f"{name}{script.join}{loss:.4f}" for name, loss in zip(names, losses, strict=True)]
    if script.mean_loss and len(names) == 1 and script.style != TURNS:
        told[0] += f" ({mean:.4f})"
    done = one.place / phase.steps
    extras = [extra(w.random, done) for extra in script.extras]
    w.tape.say(script.separator.join([head + place, *told, *extras, *_times(w, one)]), one.ends_s)
    w.told(one, (*losses, round(mean, 4)) if script.mean_loss else losses, tuple(counts.values()))


def _counts(w: Writer, one: Iteration) -> dict[str, int]:
    first, size = w.script.batch_from, w.plan.batch_size
    return {
        "batch": one.batch + first,
        "step": one.place + first,
        "samples": (one.batch + first) * size,
        "seen_samples": (one.place + 1) * size,
        "tokens": (one.place + 1) * size * 128,
    }


def _times(w: Writer, one: Iteration) -> list[str]:
    phase = w.plan.phases[w.phase]
    so_far_s = one.ends_s - w.phase_s
    steps = phase.epochs * phase.batches
    seconds = {
        "epoch so far": one.ends_s - w.epoch_s,
        "last rows": one.ends_s - w.row_s,
        "so far": so_far_s,
        "data": 0.02 * one.took_s,
        "step": one.took_s,
        "left": so_far_s / (one.place + 1) * (steps - one.place - 1),
        "forward": 0.3 * one.took_s,
        "rate": w.plan.batch_size / one.took_s,
    }
    return [said(seconds[name]) for name, said in w.script.times]


def _frame(w: Writer, one: Iteration) -> None:
    script, phase = w.script, w.plan.phases[w.phase]
    loss = round(w.losses[-1], 4)
    is_last = one.batch == phase.batches - 1
    text = w.bar.frame(one.batch + 1, phase.batches, one.ends_s - w.epoch_s, f", {script.losses[0]}={loss:.4f}")
    if script.style == NESTED:
        _outer(w, one)
        w.tape.say(f"\n\r{text}\x1b[A", one.ends_s, "\n\n" if is_last else "")
    else:
        before, behind = ("\r", "") if script.batch_from else ("", "\r")  # tqdm's own way, and many a copy's
        w.tape.say(before + text, one.ends_s, "\n" if is_last else behind)
    w.told(one, (loss,), (one.batch + 1, one.epoch, one.place + 1))
    if script.noisy_bar and one.batch and one.batch % (7 * script.every) == 0:
        w.tape.say(f"saw an image of unusual size at {one.batch * w.plan.batch_size}", one.ends_s)


def _outer(w: Writer, one: Iteration) -> None:
    """The bar of the epochs above that of the batches."""
    epochs = w.plan.phases[w.phase].epochs
    outer = (
        Bar("Epochs").frame(max(1, one.epoch), epochs, max(1.0, w.epoch_s - w.phase_s))
        if one.epoch
        else (f"Epochs:   0%|{'':<10}| 0/{epochs} [00:00<?, ?it/s]")
    )
    w.tape.say("\r" + outer, one.ends_s, "")
