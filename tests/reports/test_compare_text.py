"""The comparison as text: conclusions first, numbers below, nothing wider than a terminal."""

from seed_runs import run_b, watched

from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.comparison import Comparison, Difference, LossAt
from itermon.reports.compare_text import compare_text


def test_conclusions_come_first_and_nothing_is_too_wide() -> None:
    text = compare_text(compare(watched(run_b("before")), watched(run_b("after"))))
    lines = text.splitlines()
    assert lines[0] == "58 % fewer tokens/s, because the model costs 2.85 × the FLOPs a token."
    assert any(line.split() == ["micro_batch_size", "16", "8"] for line in lines)
    assert any(line.split()[:4] == ["tokens/s,", "clean", "134,433", "56,134"] for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_long_path_is_cut_in_its_middle() -> None:
    text = compare_text(Comparison(config=(Difference("dataset", "/data/" + "x" * 60 + "/a.bin", None),)))
    assert "/a.bin" in text
    assert "…" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_losses_at_equal_iterations_are_not_said_to_be_at_equal_tokens() -> None:
    rows = {tokens: Comparison(losses=(LossAt(500, tokens, 3.0, 2.9),)) for tokens in (None, 1_000)}
    assert "Validation loss at equal iterations" in compare_text(rows[None])
    assert "Validation loss at equal tokens" in compare_text(rows[1_000])
