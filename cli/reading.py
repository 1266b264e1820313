"""A source read to its end, and its report."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, cast

from .exits import NOT_A_LOG, UNHEALTHY, CrashedError, NotALogError
from .printing import harmless, print_json, print_note, print_text
from .streams import say

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ..analysis.findings import Findings
    from ..analysis.run import Run
    from ..collectors.source import Source


def read_to_the_end(source: Source, problems: list[str] | None = None) -> Run:
    """The run that `source` gives, once there is no more to come.

    What could not be read behind the last iteration goes into `problems`, one line each.

    Raises:
        NotALogError: there was no iteration in it; the message says what there was.
        CrashedError: the same, and its words say how the run ended.
    """

    steps = read_in_steps(source, problems)
    while True:
        try:
            next(steps)
        except StopIteration as over:
            return cast("Run", over.value)


def read_in_steps(source: Source, problems: list[str] | None = None) -> Generator[None, None, Run]:
    """As `read_to_the_end`, a part of it at a time."""
    from ..analysis.run import Run
    from ..collectors.logs.doubt import DESCRIBE_IT
    from ..events import ClockKind, SourceState

    run = Run()
    note = ""
    for batch in source.batches(threading.Event()):
        if batch.restart:
            run = Run()
        if not batch.preview:
            run.apply(batch.events)
        if batch.note or (batch.events and batch.state != SourceState.WAITING):
            note = batch.note  # what came meanwhile may be read, or not
        if batch.state == SourceState.FAILED:
            if problems is not None:
                problems.append(note)
            break
        yield
    if not len(run.columns):
        verdict = run.findings().verdict
        if (
            verdict.kind == "hang"
        ):  # dumps of collectives, or the errors of a run alone: who was missing is the report
            return run
        none = "no iteration in it that itermon can read."
        if run.info.source_format:  # which is not named: without a row it is but a likeness
            none += " Some lines look like a training's, but no row has a form that it knows" + DESCRIBE_IT
        nothing = note or f"{source.title}: {none}"
        if verdict.kind == "failed":
            said = " ".join((verdict.headline, *verdict.evidence))
            raise CrashedError(f"{source.title}: {said} There is {none.removesuffix('.')}.")
        raise NotALogError(" ".join((nothing, *verdict.evidence)) if run.info.clock == ClockKind.HOOK else nothing)
    return run


def all_findings(run: Run) -> Findings:
    """All that is known of a run that was read to its end: as of then, unless a deadline is held against it."""
    has_deadline = run.intake.settings.config.deadline_at_s is not None
    return run.findings(time.time() if has_deadline else None, spikes=None)


def print_report(source: Source, form: str = "", *, html: Path | None = None, check: bool = False) -> None:
    """Read `source` to its end and print the findings as text, "json" or "markdown"; or write them into `html`.

    Exits with `UNHEALTHY` if asked to `check`, and with `NOT_A_LOG` where a part of the input could not be read.
    """
    problems: list[str] = []
    try:
        run = read_to_the_end(source, problems)
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
        from ..reports.report_text import report

        print_text(report(findings, title=source.title).rstrip("\n"))
    if problems:
        say(harmless(f"{problems[0]}. The report is of what came before."))
        raise SystemExit(NOT_A_LOG)
    if check and not _is_healthy(findings):
        raise SystemExit(UNHEALTHY)


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
