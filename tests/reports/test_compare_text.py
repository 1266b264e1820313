"""The comparison as text: conclusions first, numbers below, nothing wider than a terminal."""

from seed_runs import run_b, watched

from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.comparison import Comparison, Difference, GpuPairs, LossAt, Pair
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


def test_gpus_stand_beside_each_other_with_their_units() -> None:
    gpus = GpuPairs(
        names=("NVIDIA L4", ""),
        counts=(4, 1),
        utilization=Pair(0.5, 1.0),
        power_w=Pair(60.0, 72.0),
        clock_hz=Pair(1.8e9, 1.9e9),
        temperature_c=Pair(50.0, 60.0),
        iteration_joules=Pair(200.0, 1_000.0),
    )
    lines = [" ".join(line.split()) for line in compare_text(Comparison(gpus=gpus)).splitlines()]
    assert lines[lines.index("GPUs, over all samples") + 2 :] == [
        "GPUs 4 × L4 1",
        "utilization 50 % 100 % 2.00",
        "power, each 60 W 72 W 1.20",
        "clock while busy 1,800 MHz 1,900 MHz 1.06",
        "temperature while busy 50 °C 60 °C 1.20",
        "energy/iteration 200 J 1.00 kJ 5.00",
    ]
