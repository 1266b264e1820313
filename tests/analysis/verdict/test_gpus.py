"""What is said of the GPUs of a whole run."""

import pytest

from itermon.analysis.findings import Findings, GpuClock, GpuUse, LedgerRow, Level, Load
from itermon.analysis.verdict import gpus
from itermon.analysis.verdict.facts import Facts
from itermon.events import GpuSample, RunInfo


def clock(gpu: int, mhz: float, by: str = "power", power: float = 0.986, celsius: float | None = None) -> GpuClock:
    return GpuClock(gpu, by, mhz * 1e6, 1.98e9, 1.0, power, celsius)


def facts(use: GpuUse | None, **more: object) -> Facts:
    return Facts(Findings(gpu_use=use, **more), RunInfo())  # type: ignore[arg-type]


CLOCKS = tuple(
    clock(n, mhz, celsius=c) for n, mhz, c in ((0, 1920, 57), (1, 1868, 71), (2, 1865, 68), (3, 1906, 57))
)
LIMITED = GpuUse(86, 15.0, ours=(0, 1, 2, 3), limited_by="power", gating=(1, 2), clocks=CLOCKS)


def test_a_power_limit_says_by_how_much_which_gpus_what_it_costs_and_what_helps() -> None:
    said = " ".join(gpus.evidence(facts(LIMITED)))
    assert "Power-limited: GPUs 1 and 2 run at 94.2 % of the boost clock (1,865 of 1,980 MHz)" in said
    assert "at 99 % of the power limit. Without it at most 1.06 × faster;" in said
    assert "better airflow or a higher limit helps" in said
    assert "GPUs 1 and 2 are at 70 °C, the others at 57 °C" in said


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (GpuUse(9, 15.0, limited_by="nothing", clocks=(clock(0, 1980, "nothing", 0.97),)), "Not power-limited"),
        (
            GpuUse(9, 15.0, limited_by="heat", gating=(0,), clocks=(clock(0, 1795, "heat"),)),
            "Limited by heat: GPU 0 runs at 90.7 % of the boost clock",
        ),
        (GpuUse(9, 15.0, limited_by="other", gating=(0,), clocks=(clock(0, 1795, "other", 0.5),)), "says why"),
        (GpuUse(9, 15.0, ours=(0, 1), ours_by="so", others=(6, 7)), "GPUs 6 and 7 somebody else's"),
        (GpuUse(9, 15.0, apart=((0, 1, 2, 3), (6,))), "GPUs 0 to 3 and GPU 6 do different things: --world-size"),
        (GpuUse(9, 15.0, idle=(4, 5), idle_w=66.0), "GPUs 4 and 5 do nothing all the time (66 W each)"),
        (
            GpuUse(9, 15.0, impossible_power={"0": "0 W when busy"}),
            "The power of GPU 0 is not believed: 0 W when busy",
        ),
    ],
)
def test_what_else_they_do(use: GpuUse, words: str) -> None:
    assert words in " ".join(gpus.evidence(facts(use)))


def test_a_full_clock_far_from_the_limit_is_no_news() -> None:
    assert (
        gpus.evidence(facts(GpuUse(9, 1.0, limited_by="nothing", clocks=(clock(0, 1980, "nothing", 0.5),)))) == ()
    )
    assert gpus.evidence(facts(None)) == gpus.unknowable(facts(None)) == ()


def test_how_often_they_were_sampled_says_what_they_cannot_tell() -> None:
    every, level = GpuUse(9, 15.0, limited_by="nothing"), Level(clean_s=0.076)
    assert (
        "a sample each 15.0 s shows stretches, of 30.0 s at least" in gpus.unknowable(facts(every, level=level))[0]
    )
    assert gpus.unknowable(facts(every, level=Level(clean_s=60.0))) == ()
    assert gpus.unknowable(facts(GpuUse(9, 1.0, limited_by="nothing"), level=level)) == ()
    odd = (GpuSample(0.0, absent={"power_w": "282 W on a chip that takes 30"}),)
    assert "the power of the GPUs: 282 W" in gpus.unknowable(facts(every, gpus=odd))[0]
    without = GpuUse(9, 1.0, why_unknown="the samples have no clocks")
    assert "clocks.current.sm" in gpus.unknowable(facts(without))[0]


def test_gpus_that_mostly_wait_are_starved_where_nothing_else_says_why() -> None:
    use = GpuUse(368, 10.0, ours=(0,), utilization=0.26, period_s=110.0)
    ledger = (LedgerRow("training", 95.0, 0.95),)
    diagnosis = gpus.starved(facts(use, ledger=ledger, load=Load(300.0, utilization=0.28)))
    assert diagnosis is not None
    assert diagnosis.headline == "The GPU works 26 % of the time and waits for the rest."
    assert "every 1 m 50 s" in diagnosis.evidence[0]
    for mean, newest in ((0.26, 0.9), (0.9, 0.28), (0.26, None)):
        other = GpuUse(368, 10.0, ours=(0,), utilization=mean, period_s=110.0)
        assert gpus.starved(facts(other, ledger=ledger, load=Load(300.0, utilization=newest))) is None
    assert (
        gpus.starved(facts(use, ledger=(LedgerRow("evaluation", 60.0, 0.6),), load=Load(300.0, utilization=0.2)))
        is None
    )


def test_a_clock_of_nothing_has_no_factor() -> None:
    stopped = GpuUse(9, 15.0, limited_by="power", gating=(0,), clocks=(clock(0, 0.0),))
    assert "faster" not in " ".join(gpus.evidence(facts(stopped)))


def test_where_nobody_knows_what_holds_the_clocks_nothing_is_said_to() -> None:
    use = GpuUse(9, 15.0, gating=(0,), clocks=(clock(0, 1900),))
    assert not any("limited" in line.casefold() for line in gpus.evidence(facts(use)))
