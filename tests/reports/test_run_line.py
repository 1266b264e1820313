"""One run as a line: each figure is the report's, and of several incidents the worst is said."""

from seed_runs import run_a, watched

from itermon.analysis.findings import Ending, Findings, Incident, Now, Progress, Verdict
from itermon.events import EndReason, Severity
from itermon.reports.run_line import END_UNKNOWN, RUNNING, SILENT, STARTING, run_line

NAN = Incident("loss-not-finite", "nan:1:5", Severity.ERROR, state="The loss is NaN since iteration 5.")
SLOW = Incident("slowed-down", "slow:1:7", Severity.WARNING, state="A normal iteration takes longer.")


def test_each_figure_is_the_one_of_the_findings() -> None:
    found = watched(run_a()).findings()
    line = run_line(found)
    assert (line.iteration, line.max_iterations, line.fraction) == (299, 10_000, found.progress.fraction)
    assert (line.iteration_s, line.remaining_s) == (found.level.clean_s, found.eta.remaining_s)
    assert (line.loss, line.source_format) == (3.5, "nanoGPT log")
    assert line.said == found.verdict.opening[0]


def test_the_worst_incident_that_it_is_in_is_said_and_what_is_over_is_not() -> None:
    passed = Incident("silent", "s:1:3", Severity.ERROR, over=True, state="nothing came")
    told = Incident("finished", "f:1:9", Severity.INFO, state="it is done")
    verdict = Verdict(headline="Compute-bound.")
    line = run_line(Findings(incidents=(passed, NAN, SLOW, told), verdict=verdict))
    assert (line.said, line.severity) == (NAN.state, Severity.ERROR)
    assert run_line(Findings(incidents=(SLOW,))).severity == Severity.WARNING
    assert run_line(Findings(incidents=(passed, told), verdict=verdict)).said == "Compute-bound."


def test_its_state_is_one_word() -> None:
    at = Progress(iteration=3)
    assert run_line(Findings()).state == STARTING
    assert run_line(Findings(progress=at)).state == RUNNING
    assert run_line(Findings(progress=at, now=Now(activity="silent"))).state == SILENT
    assert run_line(Findings(progress=at, ended=EndReason.UNKNOWN, ending=Ending())).state == END_UNKNOWN
    assert run_line(Findings(progress=at, ended="killed")).state == "killed"
