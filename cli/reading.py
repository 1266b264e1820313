"""A source read to its end, and its report; of one that goes on, what is known of it as it comes."""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING, cast

from .exits import NOT_A_LOG, UNHEALTHY, CrashedError, NotALogError
from .printing import harmless, print_json, print_note, print_text
from .streams import nobody_reads, say

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from ..analysis.findings import Findings
    from ..analysis.run import Run
    from ..collectors.source import Source
    from ..events import Batch

    Heard = Callable[[Run, Batch], None]

EVERY_S = 10.0
"""Between two lines of a run that goes on: a person reads along, and its findings cost milliseconds."""


def read_to_the_end(source: Source, problems: list[str] | None = None, heard: Heard | None = None) -> Run:
    """The run that `source` gives, once there is no more to come.

    What could not be read behind the last iteration goes into `problems`, one line each. `heard` is called with
    the run so far, and with what came last.

    Raises:
        NotALogError: there was no iteration in it; the message says what there was.
        CrashedError: the same, and its words say how the run ended.
    """

    steps = read_in_steps(source, problems)
    while True:
        try:
            so_far = next(steps)
            if heard is not None:
                heard(*so_far)
        except StopIteration as over:
            return cast("Run", over.value)


def read_in_steps(source: Source, problems: list[str] | None = None) -> Generator[tuple[Run, Batch], None, Run]:
    """As `read_to_the_end`, a part of it at a time."""
    from ..analysis.run import Run
    from ..events import ClockKind, SourceState

    run = Run()
    note = ""
    for batch in source.batches(Event()):
        if batch.restart:
            run = Run()
        if not batch.preview:
            run.apply(batch.events)
        note = batch.note or note
        if batch.state == SourceState.FAILED:
            if problems is not None:
                problems.append(note)
            break
        yield run, batch
    if not len(run.columns):
        verdict = run.findings().verdict
        if (
            verdict.kind == "hang"
        ):  # dumps of collectives, or the errors of a run alone: who was missing is the report
            return run
        nothing = note or f"{source.title}: no iteration in it."
        if verdict.kind == "failed":
            said = " ".join((verdict.headline, *verdict.evidence))
            raise CrashedError(f"{source.title}: no iteration in it. {said}")
        raise NotALogError(" ".join((nothing, *verdict.evidence)) if run.info.clock == ClockKind.HOOK else nothing)
    return run


def all_findings(run: Run) -> Findings:
    """All that is known of a run that was read to its end: as of then, unless it goes on, or has a deadline.

    Of a run that goes on the silence since then tells something too: that it hangs.
    """
    asks_for_now = run.goes_on or run.intake.settings.config.deadline_at_s is not None
    return run.findings(time.time() if asks_for_now else None, spikes=None)


def print_as_it_comes(source: Source) -> None:
    """Print the report of a run as it stands, a line now and then while it goes on, and the report of its end."""
    from ..collectors.source import TickingSource

    print_report(TickingSource(source), heard=Telling(source.title))


class Telling:
    """What is printed of a run that goes on: its report once its history is read, then a line if it says more."""

    def __init__(self, title: str, clock: Callable[[], float] = time.time) -> None:
        self._title = title
        self._clock = clock
        self._caught_up = self._reported = False
        self._told, self._told_at_s = "", float("-inf")

    def __call__(self, run: Run, batch: Batch) -> None:
        """Print what is due. Raises `BrokenPipeError` once nobody reads it any more."""
        from ..events import SourceState

        if nobody_reads():
            raise BrokenPipeError
        if batch.state is not None and not batch.preview:
            self._caught_up = batch.state in (SourceState.LIVE, SourceState.WAITING)
        now_s = self._clock()
        if not self._caught_up or now_s < self._told_at_s + EVERY_S:
            return
        if not self._reported and len(run.columns):
            self._reported, self._told_at_s = True, now_s
            _print_text(run.findings(now_s, spikes=None), self._title)
            return
        from ..reports.run_line import run_line, spoken

        line = spoken(run_line(run.findings(now_s)))
        if line != self._told:
            self._told, self._told_at_s = line, now_s
            print_text(f"{time.strftime('%H:%M:%S', time.localtime(now_s))}  {line}")


def print_report(
    source: Source, form: str = "", *, html: Path | None = None, check: bool = False, heard: Heard | None = None
) -> None:
    """Read `source` to its end and print the findings as text, "json" or "markdown"; or write them into `html`.

    What is read is `heard` meanwhile.

    Exits with `UNHEALTHY` if asked to `check`, and with `NOT_A_LOG` where a part of the input could not be read.
    """
    problems: list[str] = []
    try:
        run = read_to_the_end(source, problems, heard)
    except CrashedError as crashed:
        if not check:
            raise
        say(harmless(f"Error: {crashed.format_message()}"))
        raise SystemExit(UNHEALTHY) from None
    findings = all_findings(run)
    if html is not None:
        _write_page(run, findings, source.title, html)
    if form == "json":
        print_json(findings)
    elif form == "markdown":
        from ..reports.markdown.report_markdown import report_markdown

        print_text(report_markdown(run, findings, title=source.title).rstrip("\n"))
    elif html is None:
        _print_text(findings, source.title)
    if problems:
        say(harmless(f"{problems[0]}. The report is of what came before."))
        raise SystemExit(NOT_A_LOG)
    if check and not _is_healthy(findings):
        raise SystemExit(UNHEALTHY)


def _print_text(findings: Findings, title: str) -> None:
    from ..reports.report_text import report

    print_text(report(findings, title=title).rstrip("\n"))


def _is_healthy(findings: Findings) -> bool:
    """By its verdict, and by the serious incidents that it is in: these are said."""
    from ..analysis.incidents.kinds import serious

    found = serious(findings.incidents, over=bool(findings.ended))
    for one in found:
        print_note(" ".join(("not healthy:", one.state, *one.evidence)))
    return not found and findings.verdict.healthy is not False


def _write_page(run: Run, findings: Findings, title: str, path: Path) -> None:
    from ..reports.html.page import page
    from .writing import write_whole

    text = page(run, findings, title=title)
    write_whole(path, text)
    print_note(f"{path}: written, {len(text.encode()) / 1000:,.0f} kB")
