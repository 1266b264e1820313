"""Makes `Findings` of what was taken in: each part computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..events import UNEXPLAINED, EndReason
from ..words import duration
from .audit.rates import add_rates, priced
from .causes.ledger import as_known, from_row_to_row, is_sure, without_guesses
from .causes.places import placed, slow_place
from .causes.spikes import beyond, doubted, newest_spikes
from .ending import ending as how_it_ended
from .ending import is_at_its_end, is_the_last
from .findings import Activity, Audit, Eta, Findings, Losses, Now, Progress
from .incidents.now import in_its_words, standing, without_times
from .incidents.planned import planned
from .outlook import closing_words, gaps, printed
from .outlook import eta as etas
from .outlook.losses import losses, of_agents, without_places
from .outlook.now import Expected, LastSeen, current_activity
from .outlook.other_metrics import better_than_at
from .ranks.hangs import Heard, hang_of
from .second_look.slow_rows import looked_again
from .second_look.told_stops import told_as_others
from .state import current_state, has_row, overrun, remaining, usual_of_training
from .timing.baseline import FEW
from .timing.founded import is_partly_timed
from .timing.level import is_from_row_to_row, level_of
from .verdict.facts import Facts
from .verdict.verdict import verdict_of
from .wall.agreement import of_level, spoken_of
from .wall.by_rates import without_unproven
from .wall.contradicted import without_contradicted, without_waits
from .wall.half_read import ONE_WITNESS, half_read, unforetold, why_unprinted
from .wall.hidden_stops import with_saves_elsewhere, without_hidden, without_their_causes
from .wall.holes import missing_beginnings
from .wall.in_turns import uncounted, why_uncounted
from .wall.late import goes_on_for_long
from .wall.left_out import left_out_s
from .wall.progress import progress_of
from .wall.totals import why_no_wall
from .wall_time import drained, first_waits, ledger_of_run, recompiled

if TYPE_CHECKING:
    from ..events import Config
    from .causes.ledger import Times
    from .findings import Incident, LedgerRow, Level, Spike, TimeWitness
    from .incidents.past import Past
    from .intake import Intake
    from .outlook.eta import Remaining
    from .state import State


class Snapshot:
    """What is known of a run by its events so far: computed once, and then asked as often as the clock moves.

    With the newest `spikes` spikes; `None`: all of them, each with what the machine did in its seconds.
    """

    def __init__(self, run: Intake, past: Past, spikes: int | None) -> None:
        self._run, self._past, self._spikes, self._version = run, past, spikes, run.version
        self._state = current_state(run)
        self._left = remaining(self._state)
        measured = _measured(self._state, spikes)
        if spikes is None and not measured.row_to_row:
            timing = self._state.labels.timing
            measured = told_as_others(measured, timing, self._state.labels.record)
            measured = looked_again(measured, timing, run.columns)
        measured = half_read(without_contradicted(measured), run.info)
        self._uncounted = why_uncounted(run) or why_unprinted(measured, _newest_row(run))
        last_is_read = not (self._uncounted or goes_on_for_long(run))
        self._at_its_end = last_is_read and is_at_its_end(self._state)
        self._known = without_waits(add_rates(measured, run.info, run.newest_iterations()))

    def is_of(self, run: Intake, spikes: int | None) -> bool:
        """Is it what would be computed now?"""
        return run is self._run and run.version == self._version and spikes == self._spikes

    @property
    def hidden_stops(self) -> tuple[str, ...]:
        """Kinds of stops whose time cannot be told from training's."""
        return self._known.progress.hidden_stops

    @property
    def half_read(self) -> bool:
        """Does nobody know what lies between the rows?"""
        return bool(self._known.half_read)

    def at(self, now_s: float | None) -> Findings:
        """What is known at `now_s` (Unix time; `None`: at the last event): silence tells something too."""
        run = self._run
        facts = Facts(self.at_moment(now_s), run.info)
        standing_now = _standing(run, self._past, facts) + planned(facts.findings, now_s)
        zero_since, known = facts.findings.losses.zero_since, facts.findings.starts_known
        incidents = self._past.with_those_of_now(run, zero_since, standing_now, starts_known=known)
        told = () if facts.findings.uncounted else in_its_words(incidents, facts.findings.progress.unit)
        if why := facts.findings.half_read:
            told = without_times(told, silences=why == ONE_WITNESS)
        return replace(facts.findings, verdict=verdict_of(facts), incidents=told)

    def at_moment(self, now_s: float | None) -> Findings:
        """The same without what is concluded from it: verdict and incidents."""
        run, state, known = self._run, self._state, self._known
        now = now_of(state, now_s)
        hang = hang_of(run.rank_states, run.collectives, now, heard(run))
        ending = how_it_ended(run, now, now.usual_s, at_its_end=self._at_its_end, followed=self._past.followed)
        if ended := ending.reason if ending else "":
            now = Now(activity=Activity.ENDED, iteration=now.iteration, estimated=not run.ended)
        finished, progress = ended == EndReason.FINISHED, known.progress
        if finished and is_the_last(self._state):  # who counts from 0 ends one before the total
            progress = replace(progress, fraction=1.0)
        foretold = _witnessed(state, *_eta(state, self._left, now, now_s, ended), ended)
        foretold = closing_words.of_enough(*foretold, known.level, row_to_row=known.row_to_row)
        eta, no_eta = closing_words.withheld(*foretold, ending, run.settings.ended_early, progress.trainings)
        found = replace(
            known,
            ended=ended,
            ending=ending,
            progress=progress,
            now=now,
            hang=hang,
            filling=() if finished else run.fillings.found(),
            jumps=() if ended else run.fillings.jumps(),
            eta=priced(eta, known),
            unknown=known.unknown | ({"eta": no_eta} if no_eta else {}),
        )
        found = unforetold(found) if found.half_read else found
        return uncounted(found, self._uncounted) if self._uncounted else found


def _newest_row(run: Intake) -> str:
    return run.end_of_file.row if run.end_of_file is not None and run.info.undescribed else ""


def standing_at(run: Intake, past: Past, at_s: float | None) -> tuple[bool, tuple[Incident, ...]]:
    """Whether `run` is silent at `at_s`, and the incidents that it is in by its silence or its end.

    In the midst of a log it is mostly neither.
    """
    silent = now_of(current_state(run), at_s).activity == Activity.SILENT
    if not run.ended and not silent:
        return False, ()
    return silent, _standing(run, past, Facts(Snapshot(run, past, 1).at_moment(at_s), run.info))


def _standing(run: Intake, past: Past, facts: Facts) -> tuple[Incident, ...]:
    return standing(facts, len(run.starts), patient=past.unannounced.may_explain(run, facts.findings))


def facts_of(run: Intake, past: Past) -> Facts:
    """All figures of `run`, as rules ask for them."""
    return Facts(Snapshot(run, past, 1).at_moment(None), run.info)


def _measured(state: State, spikes: int | None) -> Findings:
    """What follows from times and events alone."""
    run = state.run
    spoken, by_rows = _witnesses(state), is_from_row_to_row(run.info, run.columns)
    level, progress, ledger, newest = _doubted(state, spikes, by_rows=by_rows)
    unread = bool(progress.other.newest or progress.other.against)  # newer losses stand in lines that are not read
    return Findings(
        name=run.info.name,
        source_format=run.info.source_format,
        undescribed=run.info.undescribed,
        row_to_row=by_rows,
        recognised=run.info.recognised,
        host=run.info.host,
        pid=run.info.pid,
        started_at_s=run.info.started_at_s,
        config=_config(run),
        config_origins=run.settings.origins,
        progress=progress,
        level=_witnessed_level(run, level, spoken),
        witnesses=spoken,
        ledger=ledger,
        recompiled=recompiled(run, state.times.wall_s),
        first_waits=first_waits(run, ledger),
        drained=drained(run, state.times.wall_s),
        gpu_phases_s={} if run.gpu_phases.on_host else run.gpu_phases.usual_s(),
        host_phases_s=run.gpu_phases.on_host_s(),
        straggler=run.ranks.straggler(),
        imbalance=run.ranks.imbalance(),
        losses=Losses() if unread else _losses(run, sure=progress.starts_agree),
        scalars=run.scalars.found(all_of_them=False) if spikes is None and not unread else (),
        spikes=tuple(with_telemetry(run, spike) for spike in newest) if spikes is None else newest,
        slow_place=slow_place(state.labels),
        gpu_use=run.telemetry.use(run.settings.config.world_size),
        audit=_energy(run),
        gpus=run.telemetry.newest(),
        load=run.telemetry.load(),
        machine=run.telemetry.machine(),
        messages=run.messages.newest(),
        unknown=_unknown(run, state.times),
    )


def _witnessed_level(run: Intake, level: Level, spoken: tuple[TimeWitness, ...]) -> Level:
    """The level with what it rests on, and what speaks against it."""
    return replace(of_level(run, spoken, level), left_out_s=left_out_s(run))


def _doubted(
    state: State, spikes: int | None, *, by_rows: bool
) -> tuple[Level, Progress, tuple[LedgerRow, ...], tuple[Spike, ...]]:
    """What is said of times and starts: of a script that nobody described no more than is sure."""
    run = state.run
    ledger = ledger_of_run(run, state.labels, state.times, state.tally)
    level = level_of(state.labels.timing, run.columns, settles=not by_rows)
    progress, newest = _progress(state, ledger), newest_spikes(state.labels, spikes)
    ledger = with_saves_elsewhere(without_hidden(ledger, progress.hidden_stops), progress.checkpoints)
    if missing := missing_beginnings(run):
        newest = tuple(one for one in newest if one.position not in missing)
    if level.scattered:
        ledger, newest = without_guesses(ledger), ()
    elif level.between is not None:
        newest = beyond(newest, level, progress.trainings)
        if progress.trainings == 1:  # others had a usual time, and what was slow beside that is in the same sum
            ledger = without_guesses(ledger, level.between[1] * level.averaged_over)
    if run.info.undescribed:
        ledger, newest = without_unproven(ledger, newest, run.columns, state.tally)
    within = run.spans.within_rows and not by_rows
    ledger = as_known(ledger, within=within)
    ledger = from_row_to_row(ledger, level, progress) if by_rows else ledger
    sure = is_sure(ledger, progress, undescribed=run.info.undescribed, by_rows=by_rows)
    if run.info.undescribed or progress.other.speaks:
        tick_s, saved = run.columns.tick_s if by_rows else None, run.spans.saved
        newest = doubted(newest, level, progress, tick_s, within_rows=within, saved=saved)
    return level, progress, ledger if sure else (), without_their_causes(newest, progress.hidden_stops)


def _witnesses(state: State) -> tuple[TimeWitness, ...]:
    return spoken_of(state.run, state.labels.timing, state.times)


def heard(run: Intake) -> Heard:
    """What is known of the ranks besides where they stand."""
    newest = run.ranks.newest() or ({0: run.columns.index[-1]} if len(run.columns) else {})
    return Heard(run.settings.config.world_size, newest, run.last_at_s)


def _energy(run: Intake) -> Audit:
    energy_j, energy_span_s = run.telemetry.energy() or (None, None)
    return Audit(energy_run_j=energy_j, energy_span_s=energy_span_s)


def _losses(run: Intake, *, sure: bool) -> Losses:
    """Where it is not `sure` what began when its counter went back, evaluations before it may be of other data."""
    own, process, unknown = run.evaluations, (run.process_start, run.bad_losses_before), run.info.undescribed
    of_it, best, is_earlier = own.of_training, own.best, own.best_is_earlier
    if unknown and not sure and len(own.of_process) < len(of_it):
        of_it, is_earlier = own.of_process, False
        best = min(of_it, key=lambda one: one[1], default=None)
    has = best is None or not unknown or has_row(run, best[0])  # it may count evaluations otherwise
    may, begun = of_agents(run.scalars, run.info.source_format), run.training_start
    of = losses(run.columns, of_it, best, process, training=begun, may_grow=may, best_has_row=has)
    is_earlier = is_earlier and of.best_validation is not None
    doubted = better_than_at(of.best_validation_at, run.columns, run.scalars, begun)
    of = replace(of, best_is_earlier=is_earlier, best_is_doubted=doubted)
    counted = run.launches.counted  # a number that is a lower bound is no place, nor is that of rows
    of = without_places(of) if counted.rows or counted.at_least else of
    of = replace(of, validation_called=own.of_set) if own.of_set and own.losses else of
    return replace(of, called="loss") if unknown else of


def with_telemetry(run: Intake, spike: Spike) -> Spike:
    """The spike with what the GPU and the machine did in its seconds, as far as that is known."""
    if run.starts and spike.position >= run.process_start:
        spike = placed(replace(spike, gpu_phases=run.gpu_phases.of(spike.index)), run.stacks.of(spike.index))
    return run.telemetry.with_telemetry(spike)


def _unknown(run: Intake, times: Times) -> dict[str, str]:
    """Why something is not known, by its path in the findings."""
    reasons = run.telemetry.unknown()
    if why := overrun(run):
        reasons["progress.max_iterations"] = why
    if why := why_no_wall(run, times):
        reasons["progress.wall_s"] = why
    return reasons


def _progress(state: State, ledger: tuple[LedgerRow, ...]) -> Progress:
    progress = progress_of(state.run, state.times, state.tally, state.last, ledger)
    return replace(progress, behind_s=state.behind_s or None)


def _config(run: Intake) -> Config:
    """The settings. A number of iterations that the run has passed is of something else: of epochs, say."""
    config = run.settings.config
    return replace(config, max_iterations=None) if overrun(run) else config


def _eta(state: State, left: Remaining | None, now: Now, now_s: float | None, ended: str) -> tuple[Eta, str]:
    """The ETA of what is `left`, and why there is none."""
    run = state.run
    if left is None:
        some = run.columns.untimed < len(run.columns)
        partly = some and is_partly_timed(state.labels.timing, run.columns)
        why = overrun(run) or etas.why_none(run.settings.config.max_iterations, ended, partly=partly)
        return Eta(schedules=state.schedules), why
    at_end = run.columns.index[-1] >= (run.settings.config.max_iterations or 0) - 1
    left_s = 0.0 if ended and at_end else left.seconds
    scores = etas.scored(run.predictions.made, state.times.wall_s, left_s)
    if ended:
        over = "the run has ended" + ("" if ended == EndReason.UNKNOWN else f" ({ended})")
        return Eta(frozen=over, schedules=state.schedules, scores=scores), ""
    frozen = ""
    if now.activity == Activity.SILENT and now.elapsed_s is not None:
        frozen = f"no line for {duration(now.elapsed_s)}, usually {duration(now.usual_s or 0.0)}"
    at_s = now_s if frozen or run.last_at_s is None else run.last_at_s
    return etas.eta(left, at_s, state.schedules, scores, frozen), ""


def _witnessed(state: State, eta: Eta, no_eta: str, ended: str) -> tuple[Eta, str]:
    """The ETA beside what the log says is left; that alone where nothing else will be known of it."""
    run, times = state.run, state.of_training.times
    newest = run.newest.last(min(printed.NEWEST, len(run.columns) - run.process_start))
    printed_s = None if ended or eta.frozen else printed.said(newest)
    if printed_s is None:
        return eta, no_eta
    if eta.remaining_s is not None:
        to_go = (state.last or 0) - run.columns.index[-1]
        mean_s = times.wall_s / max(1, times.iterations + times.unseen)
        return replace(eta, printed=printed.witness(printed_s, eta, to_go, mean_s)), no_eta
    if run.settings.config.max_iterations is not None or len(run.columns) < FEW:
        return eta, no_eta  # it comes with the level
    alone = printed.alone(printed_s)
    return replace(eta, remaining_s=printed_s, note=alone.why, printed=alone), ""


def now_of(state: State, now_s: float | None) -> Now:
    """What the trainer does at `now_s`, as far as events and silence tell."""
    run, index = state.run, state.run.columns.index
    seen = LastSeen(
        iteration=index[-1] if len(index) else None,
        printed_every=gaps.printed_every(run.columns),
        at_s=run.last_at_s,
        heard_s=run.heard_s,
        spans=run.spans,
        micro_step=run.micro_step,
        ended=run.ended,
    )
    clean_s, unnamed = usual_of_training(run, state.labels.timing.baseline), state.tally.of(UNEXPLAINED)
    stop_s, periods = (unnamed.mean_s or 0.0) + 2 * unnamed.deviation_s, state.labels.periods
    usual = gaps.usual(run.columns, run.process_start, run.spans.by_position)
    expected = Expected(clean_s, state.schedules, state.last, periods, stop_s, usual)
    return current_activity(seen, expected, now_s)
