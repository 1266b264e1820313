"""Losses, metrics and settings: is each value that of its set, its place and its name?"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from .case import Fault
from .plans import FINAL, TEST, TRAIN, VALID
from .wording import EXTRAS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case
    from .tape import Value

TENTH = 6e-5
SETS = {TRAIN: ("train",), VALID: ("val", "dev", "eval"), TEST: ("test",)}


def faults(case: Case) -> Iterator[Fault]:
    """All of one report."""
    yield from _rows(case)
    yield from _newest(case)
    yield from _validation(case)
    yield from _metrics(case)
    yield from _settings(case)


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= TENTH + 1e-4 * abs(other)


def _rows(case: Case) -> Iterator[Fault]:
    """Is each loss that itermon counts as an iteration's one of the training?"""
    losses = [loss for row in case.tape.rows for loss in row.losses]
    true = sorted([*losses, *(one.value for one in case.tape.values if one.of_set == TRAIN)])
    others = [one for one in case.row_losses if not _is_among(one, true)]
    others = [one for one in others if not any(_same(one, other) for other in true)]
    if others and true:
        yield Fault(
            "row",
            f"{len(others)} of {len(case.row_losses)} rows have a loss like {others[0]:.4f}",
            "of no training row",
        )
    printed = len(case.tape.rows) + sum(one.of_set == TRAIN for one in case.tape.values)
    if case.found.progress.rows > printed:
        yield Fault("row", f"{case.found.progress.rows} rows", f"{len(case.tape.rows)} of training were printed")


def _is_among(one: float, values: list[float]) -> bool:
    """As it is printed with four digits behind the point."""
    place = bisect_left(values, one - TENTH)
    return place < len(values) and values[place] <= one + TENTH


def _newest(case: Case) -> Iterator[Fault]:
    losses = case.found.losses
    if losses.train is None or not case.tape.rows:
        return
    lossy = [row for row in case.tape.rows if row.losses]  # a bar's frame may have none
    values = [one for row in lossy[-2:] for one in row.losses]
    values += [one.value for one in _last(case, TRAIN, "loss")]
    if at := re.search(r" Loss train [\d.e+-]+ at ([\d,]+)", case.text):  # an earlier one, and it says so
        place = int(at[1].replace(",", ""))
        values += [one for row in lossy if row.iteration.place + 1 == place for one in row.losses]
    if not any(_same(losses.train, one) for one in values):
        yield Fault("newest loss", f"{losses.called} {losses.train}", f"{values[-3:]}")


def _last(case: Case, of_set: str, word: str) -> list[Value]:
    return [one for one in case.tape.values if one.of_set == of_set and one.word == word][-1:]


def _validation(case: Case) -> Iterator[Fault]:
    losses = case.found.losses
    valid, test, final = (
        [one for one in case.tape.values if one.of_set == of_set and one.word == "loss"]
        for of_set in (VALID, TEST, FINAL)
    )
    mine = valid or test
    batches = [one for one in case.tape.values if one.word == "batch loss"]
    newest = [*mine[-1:], *(final[-1:] if not valid else ())]
    said = losses.validation
    if said is not None and not any(_same(said, one.value) for one in newest):
        if mine or not any(_same(said, one.value) for one in batches):
            yield Fault(
                "validation",
                f"validation {said}",
                f"{[one.value for one in newest]}; that is {_whose(case, said)}",
            )
        elif VALID in case.plan.sets and _whose(case, said) == "a batch's of test":
            yield Fault("validation", f"validation {said}", "a batch's of test")
    if losses.best_validation is not None and mine:
        yield from _best(case, mine, final if not valid else [])


def _whose(case: Case, said: float) -> str:
    """What else was printed with that value."""
    for one in case.tape.values:
        if _same(said, one.value):
            batch = "a batch's of " if one.word == "batch loss" else ""
            return f"{batch}{one.of_set}{'' if one.word in ('loss', 'batch loss') else ' ' + one.word}"
    rows = any(_same(said, loss) for row in case.tape.rows for loss in row.losses)
    return "a training row's" if rows else "nowhere"


def _best(case: Case, mine: list[Value], final: list[Value]) -> Iterator[Fault]:
    losses, phase = case.found.losses, len(case.tape.phases_begun) - 1
    newest = [one for one in mine if one.phase == phase] or mine
    bests = [min(group, key=lambda one: one.value) for group in (newest, mine, [*mine, *final])]
    said = losses.best_validation or 0.0
    if not any(_same(said, one.value) for one in bests):
        yield Fault("best", f"best {said}", f"{bests[0].value}; that is {_whose(case, said)}")
    elif losses.best_validation_at is not None and "best" in case.text.split(" Loss ")[-1][:150]:
        steps = [one for best in bests for one in (best.place, best.place + _before(case, best.phase))]
        places = {n for one in steps for n in range(one - case.script.every - 1, one + 3)}
        places |= {one.epoch + more for one in bests for more in (0, 1)}
        if losses.best_validation_at not in places and not case.found.progress.counts_rows:
            yield Fault(
                "best", f"best at {losses.best_validation_at}", f"at step {bests[0].place}, epoch {bests[0].epoch}"
            )


def _before(case: Case, phase: int) -> int:
    return sum(one.steps for one in case.plan.phases[:phase])


def _metrics(case: Case) -> Iterator[Fault]:
    """A metric by its name: the newest value of the set that it names, or, where it names none, of any."""
    if " Metrics " not in case.text:
        return
    shown = case.text.split(" Metrics ")[1]
    for scalar in case.found.scalars:
        if mine := [one for one in case.tape.values if one.word == scalar.name]:
            if not _same(scalar.newest, mine[-1].value):
                yield Fault("metric", f"{scalar.name} {scalar.newest}", f"{mine[-1].value}")
            continue
        word = next(
            (one for one in ("acc", "f1", "loss") if re.search(rf"(^|[ _/.-]){one}$", scalar.name, re.I)), ""
        )
        if not word or scalar.name not in shown or (word == "acc" and EXTRAS[1] in case.script.extras):
            continue
        named = [one for one, words in SETS.items() if any(part in scalar.name.lower() for part in words)]
        sets = (*named[:1], *((FINAL,) if TEST in named else ())) or (TRAIN, VALID, TEST, FINAL)
        values = [one for of_set in sets for one in _last(case, of_set, word)]
        if word == "loss":
            values += [one for of_set in sets for one in _last(case, of_set, "batch loss")]
        before = [one for of_set in sets for one in _all(case, of_set, word)]
        if word == "loss" and not named:
            continue
        if case.script.evaluation_rows == "same words" and word == "loss" and not values:
            continue
        if values and not any(_same(scalar.newest, one.value) for one in values):
            where = "an old one" if any(_same(scalar.newest, one.value) for one in before) else "none of its"
            yield Fault(
                "metric", f"{scalar.name} {scalar.newest}", f"{[one.value for one in values]}; said is {where}"
            )
        elif not values and named and case.script.evaluation_rows != "same words":
            is_test = named[0] == VALID and any(_same(scalar.newest, one.value) for one in _last(case, TEST, word))
            kind = "test called validation" if is_test else "metric"
            yield Fault(kind, f"{scalar.name} {scalar.newest}", f"no {word} of {named[0]} was printed")


def _all(case: Case, of_set: str, word: str) -> list[Value]:
    return [one for one in case.tape.values if one.of_set == of_set and one.word == word]


def _settings(case: Case) -> Iterator[Fault]:
    config = case.found.config
    pairs = {
        "micro_batch_size": case.plan.batch_size,
        "layers": None,
        "heads": None,
        "block_size": case.settings.get("max_len"),
        "embedding": case.settings.get("hidden_size"),
        "gradient_accumulation": case.settings.get("accumulation"),
        "evaluation_iterations": case.settings.get("evaluation_iterations"),
        "iterations_per_epoch": case.plan.phases[-1].batches,
        "evaluation_interval": case.settings.get("eval_every"),
        "checkpoint_interval": case.settings.get("save_steps"),
        "warmup_iterations": case.settings.get("warmup_steps"),
    }
    for name, true in pairs.items():
        said = getattr(config, name)
        if said is not None and said != true and case.found.config_origins.get(name, "").startswith("log"):
            yield Fault("head", f"{name} {said}", f"{true}")
    found = re.search(r"--batch-size \((\d+) in the log", case.text)
    if found and int(found[1]) != case.plan.batch_size:
        yield Fault("head", found[0], f"{case.plan.batch_size}")
