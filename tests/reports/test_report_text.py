"""The report says what the screen says, in plain text, without the screen's library."""

import re
import subprocess
import sys

import pytest
from made_findings import SLOW, audited, found, load, lost
from msgspec.structs import replace
from screen_states import states

from itermon.analysis.audit.logged_mfu import explain
from itermon.analysis.findings import (
    Cause,
    Eta,
    Findings,
    Level,
    Losses,
    Progress,
    RunMessage,
    Schedule,
    Shift,
    Spike,
    Throughput,
)
from itermon.analysis.run import Run
from itermon.analysis.verdict.verdict import judge
from itermon.analysis.whatif.target import can_reach
from itermon.events import EVALUATION, RunInfo, Severity, Witness
from itermon.reports import sentences
from itermon.reports.report_text import SLOW_SHOWN, WIDTH, report
from itermon.reports.rows.batch import batch_rows
from itermon.tui.drawing.lines import text as plain_text
from itermon.tui.panels.evidence import evidence
from itermon.tui.scene import Opened


def test_it_names_the_source_the_speed_and_the_verdict() -> None:
    state = states()["healthy"]
    found = state.run().findings(state.now_s)
    text = report(found, title="train.log")
    assert "gpt2-xl-fineweb" in text
    assert "iteration 1,247 of 10,000" in text
    assert found.verdict.headline in " ".join(text.split())
    assert "1,048,576" in text
    assert "NVIDIA H200 0: 687 / 700 W" in text


def test_what_is_not_known_is_said_with_its_reason() -> None:
    why = {"audit.mfu": "no GPU is named", "eta": "past its end", "progress.max_iterations": "past its end"}
    text = report(Findings(unknown=why), title="x.log")
    assert text.endswith("Not known\n eta, max iterations: past its end\n")
    assert "no iteration seen" in text
    assert "MFU: no GPU is named" in text


@pytest.mark.parametrize("name", states())
def test_no_line_is_wider_than_a_terminal(name: str) -> None:
    state = states()[name]
    lines = report(state.run().findings(state.now_s), title="train.log").splitlines()
    assert max(map(len, lines)) <= WIDTH + 2


def test_a_long_list_of_slow_iterations_is_cut_and_says_so() -> None:
    slow = tuple(Spike(n, n, 5.9, 0.17, (Cause("checkpoint", 5.73, "log", "a line says so"),)) for n in range(30))
    text = report(Findings(spikes=slow), title="x")
    assert f"newest {SLOW_SHOWN} of 30" in text
    assert "+5.73 s checkpoint (a line tells of it): a line says" in text


def test_what_nothing_explains_is_said_in_a_word() -> None:
    causes = (Cause("unexplained", 1.2, "guess", "no cause was found"),)
    assert report(Findings(spikes=(Spike(7, 7, 3.2, 2.0, causes),)), title="x").splitlines()[-1] == (
        "         7 ?      3.20 s  +1.20 s unexplained"
    )


def test_messages_are_counted_and_placed() -> None:
    text = report(Findings(messages=(RunMessage("CUDA out of memory", "error", 3, line=9),)), title="x")
    assert "error: line 9: CUDA out of memory (3 times)" in text


def test_what_speaks_for_the_format_stands_under_the_name() -> None:
    lines = report(Findings(source_format="llm.c log", recognised="recognised by 13 %"), title="x").splitlines()
    assert lines[:2] == ["x · llm.c log", "recognised by 13 %"]


def test_an_empty_run_has_a_report() -> None:
    assert "no iteration seen" in report(Run().findings(), title="empty.log")


def test_the_report_does_not_load_the_screen() -> None:
    code = (
        "import sys; import itermon.reports.report_text; print('textual' in sys.modules, 'asyncio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_factors_of_a_batch_are_those_that_make_its_tokens() -> None:
    def factors(**known: int | None) -> str:
        made = Findings(throughput=Throughput(**{"micro_batch_size": 4, "block_size": 1_024, **known}))  # type: ignore[arg-type]
        return batch_rows(made)[0].value

    assert factors(gradient_accumulation=8, world_size=2, tokens_per_iteration=65_536) == "4 × 1,024 × 8 × 2 GPU"
    assert factors(gradient_accumulation=8, tokens_per_iteration=32_768) == "4 × 1,024 × 8"
    assert factors(world_size=64, tokens_per_iteration=1_048_576) == "4 × 1,024 a micro-step"  # tensor-parallel
    assert factors(gradient_accumulation=2, tokens_per_iteration=524_288) == "4 × 1,024 a micro-step"
    assert factors() == "4 × 1,024 a micro-step"
    assert factors(micro_batch_size=None, world_size=4) == "4 GPUs"
    assert factors(block_size=None, world_size=1) == factors(block_size=None)


def test_a_slow_mean_of_several_iterations_says_of_how_many_its_seconds_are() -> None:
    cause = Cause("evaluation", 73.0, "log")
    spike = Spike(350, 6, 703.0, 630.0, (cause,), averaged_over=50)
    said = " ".join(report(Findings(spikes=(spike,)), title="x.log").split())
    assert "each is the time of all iterations that its row stands for, and of the stops before it" in said
    assert "of all iterations" not in report(Findings(spikes=(replace(spike, averaged_over=1),)), title="x.log")
    mixed = " ".join(report(Findings(spikes=(replace(spike, averaged_over=1), spike)), title="x.log").split())
    assert "times are of all iterations that a row stands for, or of the one at a stop" in mixed
    each = Findings(spikes=(spike,), progress=Progress(iterations_seen=400, rows=400))
    assert "times are of several rows, up to the one that is named\n" in report(each, title="x.log")
    shown = [plain_text(line) for line in evidence(Opened(spike), 80, 10)]
    assert shown[0].startswith(" the 50 iterations up to 350 took 11 m 43 s")


def test_where_only_an_evaluation_has_a_time_its_iteration_has_none() -> None:
    """trainer_state.json: `eval_runtime` is in it, and no time of a step."""
    spike = Spike(1_025, 40, 1_728.0, 0.0, (Cause("evaluation", 1_728.0, "log"),))
    row = next(line for line in report(Findings(spikes=(spike,)), title="x.log").splitlines() if "1,025" in line)
    assert row.split("evaluation")[0].split() == ["1,025", "E", "–", "+28", "m", "48", "s"]


GPUS = (
    "NVIDIA A100",
    "GeForce RTX 4090",
    "NVIDIA H200",
    "NVIDIA GH200 480GB",
    "AMD Instinct MI300X",
    "T4",
    "L40S",
)
WRONG = re.compile(
    r"\b1 (iterations|evaluations|checkpoints|restarts|trainings|events|spikes|losses|GPUs|launches)\b"
    r"|\b1 (cores|ranks|times|reads|lines)\b"
    r"|\b(0|2) (iteration|evaluation|checkpoint|restart|training|event|spike|loss|core|rank|line|token)\b(?! time)"
    r"|\ba (A100|RTX|H200|MI300X|L40S|NVIDIA|AMD)|\ban (GeForce|GH200|T4)"
)


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("gpu", GPUS)
def test_every_sentence_counts_and_names_as_a_person_would(count: int, gpu: str) -> None:
    stops = lost(EVALUATION, 0.3, count)
    runs = [
        {},
        {"audit": audited(gpu=gpu, gpus=count), "ledger": stops},
        {"losses": Losses(not_finite=count, first_not_finite=1, not_finite_since=1)},
        {"load": load(trainer_cpu=float(count), utilization=0.1), "audit": SLOW},
        {"progress": Progress(iteration=count, iterations_seen=count, restarts=count, dropped=count)},
        {"level": Level(clean_s=1.0, jitter=0.004, iterations=count, warmup_iterations=count), "ledger": stops},
        {"messages": (RunMessage("out of memory", Severity.ERROR, count=max(1, count)),), "ended": "failed"},
        {"eta": Eta(schedules=(Schedule("evaluation", max(1, count), seen=count, mean_s=2.0),)), "ledger": stops},
    ]
    for parts in runs:
        known = found(**parts)
        known = replace(known, level=replace(known.level, witnesses=(Witness.PRINTED,)))
        known = replace(known, verdict=judge(known, RunInfo()))
        sentences = " ".join(report(known).split())
        assert not WRONG.search(sentences), sentences
        impossible = can_reach(known.audit, 0.1, 1.0).sentence
        assert not WRONG.search(impossible), impossible
    for printed, peak in ((312e12, 330e12), (989.4e12, None), (165.2e12, 312e12)):
        said = explain(1.64, printed, peak, gpu)
        assert not WRONG.search(said), said


def test_of_several_trainings_each_slow_iteration_and_the_level_name_theirs() -> None:
    slow = tuple(
        Spike(index=50, position=at, duration_s=2.0, clean_s=1.0, causes=(), training=training)
        for at, training in ((50, 2), (150, 13))
    )
    shift = Shift(index=900, before_s=2.0, after_s=1.0, position=200)
    level = Level(1.0, iterations=64, shifts=(shift,), witnesses=(Witness.PRINTED,))
    several = {"progress": Progress(iteration=999, trainings=13), "level": level}
    text = report(replace(found(), spikes=slow, **several))
    assert " training 2: 50 " in text
    assert "training 13: 50 " in text
    assert "over 64 iterations of training 13, the newest" in text
    assert "the level moved at 900 of training 13: 2.00 s became 1.00 s" in text
    one = report(Findings(spikes=(replace(slow[0], training=None),)))
    assert "training 2" not in one


def test_losses_of_earlier_trainings_that_were_no_numbers_are_said_to_be_theirs() -> None:
    text = report(Findings(losses=Losses(train=2.0, not_finite_earlier=228)))
    assert "train 2.0000 · 228 × nan or inf in earlier trainings" in text


@pytest.mark.parametrize(
    ("unit", "rows", "heading"),
    [("iteration", False, "Iteration"), ("tick", False, "Tick"), ("iteration", True, "Row")],
)
def test_what_takes_the_time_is_called_what_the_log_counts(unit: str, rows: bool, heading: str) -> None:
    seen = Progress(iteration=20, iterations_seen=20, rows=20, unit=unit, counts_rows=rows)
    level = Level(clean_s=298.0, iterations=20, witnesses=(Witness.PRINTED,))
    slow = (Spike(0, 9, 400.0, 298.0, ()),)
    text = report(Findings(progress=seen, level=level, spikes=slow))
    assert f"\n{heading} time\n 4 m 58 s clean, over 20 {heading.lower()}s\n" in text
    assert f"\nSlow {heading.lower()}s\n" in text


def test_of_rows_that_nothing_counts_no_place_is_told() -> None:
    rows = Progress(iteration=39, rows=40, counts_rows=True)
    seen = Findings(progress=rows, losses=Losses(train=1.5, validation=2.5, best_validation=2.25))
    assert sentences.loss(seen) == ["train 1.5000 · validation 2.5000 · best 2.2500"]
    seen = replace(seen, losses=replace(seen.losses, best_validation=2.5))
    assert sentences.loss(seen) == ["train 1.5000 · validation 2.5000"]
