"""The three lines on top: who this is, how far it is, and what the trainer does right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...analysis.findings import Activity
from ...analysis.incidents.kinds import KINDS, SILENT
from ...events import EndReason, Severity, SourceState
from ...reports.clock_time import clock_time
from ...reports.evidence import is_estimate
from ...reports.rows.incidents import gravest, when
from ..drawing.lines import (
    bar,
    fit,
    shed,
    spread,
)
from ..drawing.lines import width as cells_of
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Eta, Findings, Now
    from ..drawing.lines import Block, Line, Span
    from ..scene import Scene, Standing


class HeadsPanel(Panel):
    """Three lines without a frame, on every screen."""

    name = "heads"
    smallest = Size(40, 3)
    worth = 11
    shows_clock = True

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """Three lines."""
        return Size(space.columns, 3)

    def draw(self, scene: Scene, size: Size) -> Block:
        """All three."""
        return heads(scene.found, scene.standing, size.columns)


def heads(found: Findings, standing: Standing, width: int) -> Block:
    """The three lines, each `width` wide."""
    return [_who(found, standing, width), _how_far(found, standing, width), _now(found, standing, width)]


def _who(found: Findings, standing: Standing, width: int) -> Line:
    file = standing.title.rsplit("/", 1)[-1]
    name = found.name or file or "itermon"
    parts: list[tuple[int, Line]] = [(0, ((" ", ""), (name, "value")))]
    if found.source_format:
        parts.append((2, ((f"  {found.source_format}", "label"),)))
    if file and name not in (file, file.rpartition(".")[0]):
        parts.append((1, ((f" · {file}", "label"),)))
    right: list[tuple[int, Line]] = [(0, (*freshness(found, standing), (" ", "")))]
    if found.host:
        right.append((1, ((f"  {found.host} ", "label"),)))
    state = shed(
        right, width - cells_of(shed(parts, 0)) - 1
    )  # a name may be cut; whether it is live is always seen
    left = width - cells_of(state) - 1
    return spread(fit(shed(parts, left), left), state, width)


def freshness(found: Findings, standing: Standing) -> list[Span]:
    """Whether what one sees is new, in a word and a colour."""
    share = "" if standing.history is None else f" {words.percent(standing.history, 0)}"
    before_live: dict[SourceState, list[Span]] = {
        SourceState.FAILED: [("▲ ", "bad"), ("cannot read", "bad")],
        SourceState.WAITING: [("○ ", "warn"), ("waiting", "warn")],
        SourceState.READING: [("○ ", "accent"), (f"reading history{share}", "accent")],
    }
    if standing.state in before_live:
        return before_live[standing.state]
    if standing.replay is not None:
        if standing.state == SourceState.ENDED:
            return [("● ", "good"), ("end of the replay", "good")]
        word = "paused" if standing.state == SourceState.PAUSED else "replay"
        return [("● ", "accent"), (f"{word} × {standing.replay:g}", "accent")]
    if standing.state == SourceState.ENDED or found.ended:
        gone = found.ending is not None and found.ending.writer_gone
        return _ended("its process has ended" if gone and found.ended == EndReason.UNKNOWN else found.ended)
    return _live(found, standing)


def _live(found: Findings, standing: Standing) -> list[Span]:
    if standing.history is not None:
        return [("○ ", "accent"), (f"catching up, {words.percent(standing.history, 0)}", "accent")]
    seen_s = found.progress.last_event_at_s
    age = None if seen_s is None else standing.now_s - seen_s
    if found.now.activity == Activity.SILENT:
        return [("▲ ", "warn"), (f"silent for {words.rounded_duration(age)}", "warn")]
    if found.now.activity == Activity.QUIET:
        return [("○ ", "warn"), (f"nothing new for {words.rounded_duration(age)}", "warn")]
    live = "live" if age is None or age < 0 else f"live, {_age(age)} ago"
    return [("● ", "good"), (live, "good")]


def _ended(reason: str) -> list[Span]:
    if reason in ("", EndReason.FINISHED):
        return [("● ", "good"), (reason or "end of the log", "good")]
    if reason == EndReason.UNKNOWN:
        return [("○ ", "warn"), ("end unknown", "warn")]
    return [("▲ ", "bad"), (reason, "bad")]


def _age(seconds: float) -> str:
    return words.running_duration(seconds, 10)


def _how_far(found: Findings, standing: Standing, width: int) -> Line:
    progress = found.progress
    if progress.iteration is None:
        return fit(_nothing_yet(found, standing), width)
    unit = " row " if progress.counts_rows else f" {progress.unit.removesuffix('ation')} "
    if progress.other.against:
        return fit(((f" {progress.other.against}", "warn"),), width)
    least = "≥ " if progress.at_least else ""
    first: list[Span] = [(unit, "label"), (least + words.count(progress.iteration), "value")]
    if progress.max_iterations is not None:
        first.append((f" of {progress.max_iterations:,}", "label"))
    share = progress.fraction
    done: Line = () if share is None else ((f" {words.percent(share, 1)}", "value"),)
    rest = shed([(0, tuple(first)), (0 if width >= 50 else 5, done), *_eta(found, standing)], width)
    room = min(40, width - cells_of(rest) - 4)
    middle: Line = () if share is None or room < 6 else (("  ", ""), *bar(share, room, "accent"), (" ", ""))
    return fit((*first, *middle, *rest[len(first) :]), width)


def _nothing_yet(found: Findings, standing: Standing) -> Line:
    if standing.state == SourceState.FAILED:
        return ((f" {standing.note or 'the source cannot be read'}", "bad"),)
    if found.ended:
        return (
            (
                f" {found.verdict.ending or found.verdict.headline}",
                "bad" if found.verdict.healthy is False else "",
            ),
        )
    warned = next((m.text for m in reversed(found.messages) if m.level == Severity.WARNING), "")
    if said := standing.note or warned:
        return ((f" {said}", "warn"),)
    return ((" no iteration seen yet", "label"),)


def _incident(found: Findings) -> list[tuple[int, Line]]:
    """The gravest that lasts; a silence is said here already, and above."""
    one = gravest(found)
    if one is None or one.kind == SILENT:
        return []
    style = "bad" if one.severity == Severity.ERROR else "warn"
    return [(1, ((f"   ▲ {KINDS[one.kind].title}", style), (f" {when(one)}", "label")))]


def _eta(found: Findings, standing: Standing) -> list[tuple[int, Line]]:
    """The parts of the ETA, and which of them goes first where there is no room."""
    eta = found.eta
    if found.ended or standing.state == SourceState.ENDED:
        return _took(found)
    if eta.remaining_s is None:
        reason = found.unknown.get("eta.remaining_s") or found.unknown.get("eta") or eta.note
        return [(0, (("   ETA ", "label"), (words.DASH, "dim"), (f" {reason}" if reason else "", "dim")))]
    parts: list[tuple[int, Line]] = [
        (0, (("   ETA ", "label"), (words.rounded_duration(eta.remaining_s), "value")))
    ]
    if eta.low_s is not None and eta.high_s is not None:
        parts.append((1, ((f" ± {words.rough_duration((eta.high_s - eta.low_s) / 2)}", "label"),)))
    if eta.finish_at_s is not None:
        parts.append((2, ((f" · {clock_time(eta.finish_at_s, standing.now_s)}", "label"),)))
    if eta.cost_to_go is not None:
        parts.append((3, ((f" · {words.money(eta.cost_to_go)} to go", "label"),)))
    if rest := _fine_print(eta):
        parts.append((4, ((f" · {rest}", "dim"),)))
    return parts


def _took(found: Findings) -> list[tuple[int, Line]]:
    """The wall time of what is over; what contradicts it stands beside it."""
    took_s = found.progress.wall_s
    if took_s is None:
        return []
    rests_on = "" if found.progress.wall_witness else ", sum of the iteration times"
    if rests_on and is_estimate(found.progress):
        rests_on = f", estimated from {words.plural(found.progress.rows - found.progress.rows_untimed, 'row')}"
    against = next((one for one in found.witnesses if one.agrees is False), None)
    if against is not None:
        rests_on = f", but {words.rounded_duration(against.iterations_s)} by the iteration times"
    return [(0, (("   took ", "label"), (words.rounded_duration(took_s), "value"))), (1, ((rests_on, "dim"),))]


def _fine_print(eta: Eta) -> str:
    against = eta.printed if eta.printed and eta.printed.agrees is False else None
    said = f"the log says {words.rounded_duration(against.remaining_s)}" if against else ""
    return f"frozen: {eta.frozen}" if eta.frozen else " · ".join(filter(None, (said, eta.note)))


def _now(found: Findings, standing: Standing, width: int) -> Line:
    now = found.now
    if standing.state == SourceState.FAILED and found.progress.iteration is not None:
        return fit(((f" {standing.note}", "bad"),), width)
    if standing.state in (SourceState.WAITING, SourceState.READING) or found.progress.iteration is None:
        if found.ended and found.progress.iteration is None:
            last = found.verdict.evidence[-1] if found.verdict.evidence else "no iteration was seen"
            return fit(((f" {last}", "label"),), width)
        shown = found.progress.iteration is not None or standing.state == SourceState.READING
        note = standing.note if shown else ""
        if not note and standing.preview:
            note = "the newest iterations, until the history has been read"
        return fit(((f" {note}", "label"),), width)
    if found.ended or standing.state == SourceState.ENDED:
        said = standing.note or found.verdict.ending
        return fit(((f" {said}", "label"),), width)
    first: Line = ((" now  ", "label"), (now.activity, _activity_style(now)), *_elapsed(now))
    rest = shed([(0, first), *_incident(found), *_micro_steps(now), *_next(now)], width)
    room = min(22, width - cells_of(rest) - 4)
    middle: Line = ()
    if now.elapsed_s is not None and now.usual_s and room >= 6:
        style = "accent" if now.elapsed_s <= 1.5 * now.usual_s else "warn"
        middle = (("  ", ""), *bar(min(1.0, now.elapsed_s / now.usual_s), room, style), (" ", ""))
    return fit((*first, *middle, *rest[len(first) :]), width)


def _activity_style(now: Now) -> str:
    styles: dict[str, str] = {Activity.SILENT: "warn", Activity.QUIET: "warn", Activity.TRAINING: "value"}
    return styles.get(now.activity, now.activity)


def _elapsed(now: Now) -> Line:
    if now.elapsed_s is None:
        return ()
    of = f" ({words.plural(now.iterations, 'iteration')})" if now.iterations > 1 else ""
    usual = "" if now.usual_s is None else f" of ≈ {words.duration(now.usual_s)}{of}"
    if now.activity == Activity.QUIET:
        usual = "; how long a line usually takes is not known"
    return (f", {_tenths(now.elapsed_s)}", "value"), (usual, "label")


def _micro_steps(now: Now) -> list[tuple[int, Line]]:
    if now.micro_step is None:
        return []
    of = "" if now.micro_steps is None else f"/{now.micro_steps}"
    return [(4, ((f"  micro-step {now.micro_step}{of}", "label"),))]


def _tenths(seconds: float) -> str:
    """The time since, standing still in its digits: two a second at most change."""
    return words.running_duration(seconds)


def _next(now: Now) -> list[tuple[int, Line]]:
    if not now.next_kind:
        return []
    parts: list[tuple[int, Line]] = [(1, (("  next: ", "label"), (now.next_kind, "")))]
    if now.next_iteration is not None:
        parts.append((3, ((f" at {now.next_iteration:,}", "label"),)))
    if now.next_in_s is not None:
        parts.append((2, ((f", in about {words.rounded_duration(now.next_in_s)}", "label"),)))
    elif now.next_note:
        parts.append((2, ((f", {now.next_note}", "label"),)))
    return parts
