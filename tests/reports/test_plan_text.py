"""The plan as text: two columns, ranges where there are some, sentences within the width."""

from seed_runs import run_a, watched

from itermon.analysis.whatif.plan import plan
from itermon.analysis.whatif.scenario import Change, Plan
from itermon.reports.plan_text import plan_text


def test_both_columns_and_the_refusal_of_the_impossible() -> None:
    text = plan_text(plan(watched(run_a()).findings(), Change(gradient_accumulation=16, target_s=1.0)))
    lines = text.splitlines()
    assert lines[0].split() == ["now", "planned"]
    assert any(line.split()[:3] == ["tokens/iteration", "1,048,576", "262,144"] for line in lines)
    assert any("21.0 s" in line and "5.25 s (5.25 s to 5.36 s)" in line for line in lines)
    assert "impossible" in text
    assert "at least 11 such GPUs" in " ".join(text.split())
    assert all(len(line) <= 80 for line in lines)


def test_an_unchanged_run_has_one_column_and_nothing_known_no_table() -> None:
    assert "planned" not in plan_text(plan(watched(run_a()).findings(), Change()))
    assert plan_text(Plan(notes=("Nothing.",))) == "Keep in mind\n Nothing.\n"
