"""What comes behind an epoch: its summary, evaluations of one or two sets, the best so far, saves; and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import more
from .plans import FINAL, TEST, TRAIN, VALID
from .steps import Bar
from .tape import Stop
from .wording import EPOCH_LINE, OF_EPOCHS

if TYPE_CHECKING:
    from .writer import Writer


def epoch_ends(w: Writer) -> None:
    """All of it, in the order of most scripts."""
    evaluates = (w.epoch + 1) % w.plan.evaluation_every == 0
    sets = w.plan.sets if evaluates else ()
    values = {(TRAIN, word): w.metric(TRAIN, word) for word in w.script.metrics}
    begun_s = w.now_s
    for one in sets:
        _evaluate(w, one)
        values.update({(one, word): w.metric(one, word) for word in w.script.metrics})
    evaluated_s = w.now_s - begun_s
    if w.script.style in OF_EPOCHS:
        _of_epoch(w, values)
    elif w.script.evaluation_shape != "silent":
        _values(w, values, sets)
    _mark_told(w, begun_s, told=w.script.style in OF_EPOCHS or w.script.evaluation_shape != "silent")
    if sets:
        more.behind_evaluation(w)
    _took(w, evaluated_s)
    _save(w, values, sets)


def _mark_told(w: Writer, begun_s: float, *, told: bool) -> None:
    """An evaluation is told of by its values, too."""
    for stop in w.tape.stops:
        if stop.kind == "evaluation" and stop.begins_s >= begun_s:
            stop.told = stop.told or told


def _evaluate(w: Writer, of_set: str) -> None:
    script, plan, begins_s = w.script, w.plan, w.now_s
    rows = script.evaluation_rows
    bar, word = Bar(script.set_words[of_set]), script.set_words[of_set]
    for number in range(1, plan.evaluation_batches + 1):
        w.now_s += plan.evaluation_s * w.random.gauss(1, 0.02)
        is_last = number == plan.evaluation_batches
        loss = round(w.random.uniform(0.5, 3.0), 4)
        if rows == "same words":
            w.tape.say(
                f"{word}{script.separator}[{number}/{plan.evaluation_batches}]{script.separator}"
                f"{script.losses[0]}{script.join}{loss:.4f}",
                w.now_s,
            )
            w.value(of_set, "batch loss", loss)
        elif rows == "bar":
            w.tape.draw(
                bar.frame(number, plan.evaluation_batches, w.now_s - begins_s), w.now_s, "\n" if is_last else "\r"
            )
        elif rows == "count":
            w.tape.say(f"evaluated {number * plan.batch_size} samples", w.now_s)
    w.tape.stops.append(
        Stop("evaluation", w.phase, len(w.tape.iterations), begins_s, w.now_s, w.tape.now, bool(rows), of_set)
    )


def _of_epoch(w: Writer, values: dict[tuple[str, str], float]) -> None:
    """One line of all sets, or a line of each."""
    script, phase, number = w.script, w.plan.phases[w.phase], w.epoch + w.script.epoch_from
    sets = list(dict.fromkeys(one for one, _ in values))
    counts, losses = (
        (w.epoch, w.epoch + 1),
        tuple(v for (one, word), v in values.items() if one == TRAIN and word == "loss"),
    )
    head = (f"Epoch {number}/{phase.epochs}", f"epoch {number}", f"[{number:03d}/{phase.epochs}]")[
        script.every % 3
    ]
    took = f"{script.separator}time: {w.trained_s - w.epoch_s:.1f}s" if script.noisy_bar else ""
    last = w.tape.iterations[-1]
    if script.style == EPOCH_LINE:
        parts = [_named(w, one, word, values[one, word]) for one in sets for word in script.metrics]
        w.tape.say(script.separator.join([head, *parts]) + took, w.now_s)
        _keep(w, values)
        w.told(last, losses, counts, of_epoch=True)
        return
    w.tape.say(head + took, w.now_s)
    for one in sets:
        parts = [f"{word}{script.join}{values[one, word]:.4f}" for word in script.metrics]
        w.tape.say(f"  {script.set_words[one]}: " + script.separator.join(parts), w.now_s)
        _keep(w, {key: v for key, v in values.items() if key[0] == one})
        if one == TRAIN:
            w.told(last, losses, counts, of_epoch=True)


def _named(w: Writer, of_set: str, word: str, value: float) -> str:
    between = "_" if w.script.batch_from else " "
    return f"{w.script.set_words[of_set]}{between}{word}{w.script.join}{value:.4f}"


def _keep(w: Writer, values: dict[tuple[str, str], float]) -> None:
    for (of_set, word), value in values.items():
        w.value(of_set, word, value)


def _values(w: Writer, values: dict[tuple[str, str], float], sets: tuple[str, ...]) -> None:
    """The metrics behind an epoch of rows: with the training's own, where they come in one line."""
    script = w.script
    for one in sets:
        named = [(word, values[one, word]) for word in script.metrics]
        word = script.set_words[one]
        if script.evaluation_shape == "line":
            w.tape.say(script.separator.join(_named(w, one, name, value) for name, value in named), w.now_s)
            _keep(w, {(one, name): value for name, value in named})
        elif script.evaluation_shape == "dict":
            w.tape.say(f"{word} {dict(named)}", w.now_s)
            _keep(w, {(one, name): value for name, value in named})
        else:
            if script.evaluation_shape == "block":
                w.tape.say(f"--- {word} results ---", w.now_s)
            for name, value in named:
                w.tape.say(
                    f"{'  ' if script.evaluation_shape == 'block' else word + ' '}{name}: {value:.4f}", w.now_s
                )
                _keep(w, {(one, name): value})


def _took(w: Writer, evaluated_s: float) -> None:
    if w.script.epoch_time and w.script.style not in OF_EPOCHS:
        train_s = w.trained_s - w.epoch_s
        w.tape.say(
            w.script.epoch_time.format(
                epoch=w.epoch + w.script.epoch_from,
                train=train_s,
                evaluation=evaluated_s,
                all=w.now_s - w.epoch_s,
                train_clock=f"{int(train_s) // 3600}:{int(train_s) // 60 % 60:02d}:{int(train_s) % 60:02d}",
            ),
            w.now_s,
        )


def _save(w: Writer, values: dict[tuple[str, str], float], sets: tuple[str, ...]) -> None:
    """Each epoch's, or the best one's only; a line of the best so far says nothing of a save."""
    script, plan = w.script, w.plan
    metric = script.metrics[0]
    of_set = sets[0] if sets else TRAIN
    value = values[of_set, metric]
    ranked = value if metric == "loss" else -value
    is_best = ranked < w.best[0]
    if is_best:
        w.best = (ranked, w.epoch)
    if script.best_line and sets and (is_best or "so far" in script.best_line):
        best = abs(w.best[0])
        w.tape.say(
            script.best_line.format(metric=metric, value=best, epoch=w.best[1] + script.epoch_from), w.now_s
        )
        if of_set == VALID and metric == "loss":
            w.value("best", metric, best)
    saves = is_best if plan.saves_best_only else True
    if not saves or (not plan.save_s and not script.save_line):
        return
    begins_s, w.now_s = w.now_s, w.now_s + plan.save_s
    if script.save_line:
        w.tape.say(script.save_line.format(epoch=w.epoch + script.epoch_from), w.now_s)
    told = bool(script.save_line) or ("saving" in script.best_line and is_best and bool(sets))
    w.tape.stops.append(
        Stop("checkpoint", w.phase, len(w.tape.iterations), begins_s, w.now_s, w.tape.now - 1, told)
    )


def end(w: Writer) -> None:
    """A last test, and a summary."""
    script = w.script
    if TEST in w.plan.sets and script.noisy_bar and script.evaluation_shape != "silent":
        begins_s = w.now_s
        w.now_s += w.plan.evaluation_s * w.plan.evaluation_batches
        for word in script.metrics:
            value = w.metric(TEST, word)
            w.tape.say(f"Final test {word}: {value:.4f}", w.now_s)
            w.value(FINAL, word, value)
        after = len(w.tape.iterations)
        w.tape.stops.append(
            Stop("evaluation", w.phase, after, begins_s, w.now_s, w.tape.now - 1, told=True, of_set=TEST)
        )
    if script.end_line:
        all_s = w.now_s - w.tape.begun_s
        clock = f"{int(all_s) // 3600}:{int(all_s) // 60 % 60:02d}:{int(all_s) % 60:02d}"
        epochs = sum(one.run_epochs for one in w.plan.phases)
        w.tape.say(
            script.end_line.format(
                all=all_s, clock=clock, best=w.best[1] + script.epoch_from, iterations=w.plan.total, epochs=epochs
            ),
            w.now_s,
        )
