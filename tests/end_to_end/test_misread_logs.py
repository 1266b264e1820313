"""Real logs that version 0.1 misread: what each of them says, counted by hand, is what itermon says of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from real_logs import CORPUS

from itermon.cli.main import main

FILES = CORPUS / "misread"
pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason="the real logs, ../shared/corpus/misread, are not here")

TRUTH: dict[str, dict[str, Any]] = {
    "trl_sft_final_eval.log": {"seen": 1677, "restarts": 0, "trainings": 1, "wall_s": 2918, "clean_s": 1.7},
    "hf_final_eval_minimal.log": {"seen": 300, "restarts": 0, "trainings": 1, "wall_s": 528, "clean_s": 1.7},
    "prednet_total_used_time.log": {"wall_s": 6133.4, "clean_s": 0.27, "seen": 18_750, "evaluations": 150},
    "byol_year_as_duration.out": {"seen": 10, "clean_s": 147, "ended": "failed"},
    # Full at 12:14:52, the bar goes on: `20001it [12:17:02`, with what came behind its 20,000th step.
    "tqdm_wall_not_anchored.out": {"seen": 20_001, "wall_s": 44_222, "checkpoints": 0, "evaluations": 0},
    "demucs_it_per_sec.txt": {"restarts": 0, "clean_s": 0.69, "evaluations": 21},
    "average_loss_epochs.log": {"seen": 246},
    "tf_cifar10_sec_per_batch.out": {"seen": 10_000, "clean_s": 0.21},
    "ssd_timer_line.log": {"seen": 46_171, "clean_s": 0.67},
    "stgcn_mean_loss_nan.txt": {"seen": 536, "not_finite": 228},  # of 636 losses 100 are an evaluation's
    "colab_yolov8.txt": {"ended": "finished", "wall_s": 1015, "fraction": 1.0},
    "cyclegan_tqdm.log": {"clean_s": 1.01, "checkpoints": 0, "evaluations": 0},
    "modded_fork_finished.txt": {"ended": "finished", "iteration": 19_074, "fraction": 1.0},
    "llamafactory_running_log.txt": {"iteration": 2105, "ended": "finished"},
    "msswift_excerpt.log": {"iteration": 10, "maximum": 100, "wall_s": 180},
    "tsv_step_loss.log": {"seen": 4570, "iteration": 4570},
    "espnet2.log": {"iteration": 270},
    "refused_cleanrl.log": {"iteration": 120_832},
    "refused_fastai.log": {"seen": 5, "wall_s": 935},
    "refused_spacy.log": {"iteration": 4000},
    "refused_xgboost.log": {"iteration": 106},
}
"""Usual times to 10 %, for they are no means. What a clock shows at the first row counts where others take as
long."""


@pytest.mark.parametrize("name", TRUTH)
def test_a_log_that_was_misread_is_read_right(name: str) -> None:
    result = CliRunner().invoke(main, ["report", "--json", str(FILES / name)])
    found = said(json.loads(result.stdout))
    truth = TRUTH[name]
    assert {what: found[what] for what in truth} == {
        what: pytest.approx(value, rel=0.1 if what == "clean_s" else 1e-3) if what.endswith("_s") else value
        for what, value in truth.items()
    }


def said(report: dict[str, Any]) -> dict[str, Any]:
    """What a report says, under the names of `TRUTH`."""
    progress, counts = report["progress"], {row["cause"]: row["count"] for row in report["ledger"]}
    return {
        "seen": progress["iterations_seen"],
        "iteration": progress["iteration"],
        "maximum": progress["max_iterations"],
        "fraction": progress["fraction"],
        "restarts": progress["restarts"],
        "trainings": progress["trainings"],
        "wall_s": progress["wall_s"],
        "clean_s": report["level"]["clean_s"],
        "ended": report["ended"],
        "not_finite": report["losses"]["not_finite"] + report["losses"]["not_finite_earlier"],
        "evaluations": counts.get("evaluation") or progress["evaluations"],  # of unknown time: in no ledger
        "checkpoints": counts.get("checkpoint", 0),
    }


def test_each_of_them_has_its_truth() -> None:
    assert {path.name for path in FILES.iterdir()} - {"INDEX.md"} == TRUTH.keys()
