"""The batch: each number once, a dash where it is not known; as a line what matters most."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Audit, Findings, Throughput
from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.batch import BatchPanel, batch, batch_line

THROUGHPUT = Throughput(tokens_per_iteration=1_048_576, micro_step_s=0.328, tokens_per_s_clean=49_932.0)
AUDIT = Audit(
    gpu="H200", precision="bf16", mfu=0.519, floor_s=10.9, times_floor=1.93, logged_mfu=1.64, note="a note"
)
KNOWN = Findings(throughput=THROUGHPUT, audit=AUDIT)


def test_names_stand_left_and_values_right() -> None:
    rows = [text(line) for line in batch(KNOWN, 40)]
    assert " tokens/iter                  1,048,576" in rows
    assert " micro-step                      328 ms" in rows
    assert " floor                  10.9 s · 1.93 ×" in rows
    assert max(width(line) for line in batch(KNOWN, 40)) == 39  # a cell is left before the frame


def test_what_is_not_known_is_a_dash_with_its_reason() -> None:
    lines = batch(Findings(unknown={"audit.mfu": "this source does not name its GPU"}), 60)
    rows = [text(line) for line in lines]
    assert next(row for row in rows if row.startswith(" MFU ")).endswith("–")
    assert any("this source does not name its GPU" in row for row in rows)


def test_a_printed_mfu_beyond_the_peak_is_a_warning_and_another_a_remark() -> None:
    def style_of_note(logged_mfu: float) -> str:
        found = Findings(audit=Audit(note="a note", logged_mfu=logged_mfu))
        return next(line for line in batch(found, 40) if "a note" in text(line))[-1][1]

    assert [style_of_note(share) for share in (1.01, 1.0)] == ["warn", "dim"]


def test_the_least_important_parts_of_the_line_go_first() -> None:
    whole = text(batch_line(KNOWN, 200))
    assert whole == (
        " 1,048,576 tokens/iter · 49.9 k tokens/s · micro-step 328 ms · MFU 51.9 % of H200 bf16 · floor 10.9 s"
        " · log: 164 %"
    )
    assert [text(batch_line(KNOWN, columns)) for columns in (100, 80, 70, 60, 40)] == [
        " 1,048,576 tokens/iter · 49.9 k tokens/s · MFU 51.9 % of H200 bf16 · floor 10.9 s · log: 164 %",
        " 1,048,576 tokens/iter · 49.9 k tokens/s · MFU 51.9 % of H200 bf16 · log: 164 %",
        " 1,048,576 tokens/iter · 49.9 k tokens/s · MFU 51.9 % · log: 164 %",
        " 1,048,576 tokens/iter · 49.9 k tokens/s · MFU 51.9 %",
        " 49.9 k tokens/s · MFU 51.9 %",
    ]


@pytest.mark.parametrize(
    ("throughput", "audit", "knows"),
    [
        (Throughput(), Audit(), False),
        (Throughput(micro_step_s=0.3), Audit(), False),
        (Throughput(tokens_per_iteration=1_024), Audit(), True),
        (Throughput(tokens_per_s_clean=99.0), Audit(), True),
        (Throughput(), Audit(mfu=0.3), True),
    ],
)
def test_a_time_alone_makes_no_box(throughput: Throughput, audit: Audit, knows: bool) -> None:
    class Scene:
        found = Findings(throughput=throughput, audit=audit)

    assert BatchPanel().knows(Scene()) == knows  # type: ignore[arg-type]
