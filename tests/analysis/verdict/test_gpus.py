"""What is said of the GPUs of a whole run."""

from typing import Any

import msgspec
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


@pytest.mark.parametrize(
    ("use", "load", "training", "said"),
    [
        ({}, 0.28, 0.95, True),
        ({"utilization": 0.49}, 0.49, 0.95, True),
        ({"utilization": 0.5}, 0.28, 0.95, False),
        ({}, 0.5, 0.95, False),
        ({}, None, 0.95, False),
        ({"utilization": None}, 0.28, 0.95, False),
        ({}, 0.28, 0.7, True),
        ({}, 0.28, 0.69, False),
        ({"samples": 8}, 0.28, 0.95, True),
        ({"samples": 7}, 0.28, 0.95, False),
    ],
)
def test_gpus_are_starved_below_half_their_time_in_the_whole_and_now(
    use: dict[str, float | None], load: float | None, training: float, said: bool
) -> None:
    of: Any = {"samples": 368, "every_s": 10.0, "ours": (0,), "utilization": 0.26, **use}
    ledger = (LedgerRow("training", 95.0, training),)
    found = gpus.starved(facts(GpuUse(**of), ledger=ledger, load=Load(300.0, utilization=load)))
    assert (found is not None) is said


@pytest.mark.parametrize(
    ("utilization", "ours", "headline", "most"),
    [
        (0.25, (0, 1), "The GPUs work 25 % of the time and wait for the rest.", 4.0),
        (0.001, (0,), "The GPU works 0 % of the time and waits for the rest.", 100.0),
    ],
)
def test_what_starved_gpus_could_gain(
    utilization: float, ours: tuple[int, ...], headline: str, most: float
) -> None:
    use = GpuUse(368, 10.0, ours=ours, utilization=utilization, period_s=110.0)
    ledger = (LedgerRow("training", 95.0, 0.95),)
    found = gpus.starved(facts(use, ledger=ledger, load=Load(300.0, utilization=0.28)))
    assert found is not None
    assert (found.gain, found.healthy) == ((1.0, most), False)
    assert found.headline.startswith(headline[:12])
    assert "Its load comes and goes every 1 m 50 s." in found.evidence
    assert found.next_step.startswith("See what the loop waits for: ")


def held(by: str, *clocks: GpuClock, gating: tuple[int, ...] = (0,)) -> str:
    return gpus.held(GpuUse(9, 15.0, limited_by=by, gating=gating, clocks=clocks))


def test_each_reason_has_its_sentence() -> None:
    slow, other = clock(0, 1485, power=0.5), clock(1, 1980, power=0.96)
    run = "GPU 0 runs at 75 % of the boost clock (1,485 of 1,980 MHz)"
    assert held("power", slow, other) == f"power-limited: {run}, at 50 % of the power limit"
    assert held("heat", slow, other) == f"limited by heat: {run}; the driver says so"
    says = "nvidia-smi's clocks_event_reasons.active says why"
    assert held("other", slow, other) == f"{run}: the power is at 50 % of the limit; {says}"
    assert held("other", GpuClock(0, "other", 1.485e9, 1.98e9, 1.0, None, None)) == f"{run}: {says}"
    full = "not power-limited: the full clock (1,980 MHz) at"
    assert held("nothing", slow, other) == f"{full} 96 % of the power limit"
    assert held("nothing", clock(0, 1980, power=gpus.HIGH_POWER)).startswith(full)
    assert held("nothing", clock(0, 1980, power=gpus.HIGH_POWER - 0.01)) == ""
    assert held("nothing", GpuClock(0, "nothing", 1.98e9, 1.98e9, 1.0, None, None)) == ""
    both = held("heat", slow, other, gating=())
    assert both == f"limited by heat: GPUs 0 and 1 run{run[10:]}; the driver says so"
    assert held("heat") == ""


@pytest.mark.parametrize(
    ("gate_c", "other_c", "words"),
    [
        ((70.0,), (65.0,), ["GPU 0 is at 70 °C, the others at 65 °C."]),
        ((70.0,), (65.1,), []),
        ((70.0,), (None,), []),
        ((None,), (60.0,), []),
        ((70.0, 80.0), (60.0,), ["GPUs 0 and 1 are at 75 °C, the others at 60 °C."]),
        ((70.0, None), (60.0,), []),
        ((70.0,), (), []),
    ],
)
def test_those_that_gate_are_hotter_from_five_degrees_on(
    gate_c: tuple[float | None, ...], other_c: tuple[float | None, ...], words: list[str]
) -> None:
    clocks = tuple(clock(n, 1485, celsius=c) for n, c in enumerate((*gate_c, *other_c)))
    use = GpuUse(9, 15.0, limited_by="power", gating=tuple(range(len(gate_c))), clocks=clocks)
    assert [said for said in gpus.evidence(facts(use)) if "°C" in said] == words
    assert "Without it at most 1.33 × faster; better airflow or a higher limit helps." in gpus.evidence(facts(use))
    heat = msgspec.structs.replace(use, limited_by="heat")
    assert len(gpus.evidence(facts(heat))) == 1


@pytest.mark.parametrize(
    ("use", "words"),
    [
        ({"idle": (4,)}, "GPU 4 does nothing all the time."),
        ({"idle": (4,), "idle_w": 66.4}, "GPU 4 does nothing all the time (66 W)."),
        ({"idle": (4, 5, 6), "idle_w": 66.0}, "GPUs 4 to 6 do nothing all the time (66 W each)."),
        ({"idle": (1, 3, 4)}, "GPUs 1, 3 and 4 do nothing all the time."),
        ({"idle": (5, 4)}, "GPUs 4 and 5 do nothing all the time."),
        (
            {"ours": (0,), "ours_by": "so", "others": (1,)},
            "GPU 0 is this run's (so), GPU 1 somebody else's.",
        ),
    ],
)
def test_numbers_of_gpus_are_listed_as_people_say_them(use: dict[str, Any], words: str) -> None:
    assert gpus.evidence(facts(GpuUse(9, 15.0, **use))) == (words,)


@pytest.mark.parametrize(
    ("every_s", "clean_s", "words"),
    [(5.0, 9.9, True), (5.0, 10.0, False), (4.9, 9.0, False), (5.0, None, True)],
)
def test_coarse_samples_show_no_iteration_of_less_than_two(
    every_s: float, clean_s: float | None, words: bool
) -> None:
    said = gpus.unknowable(facts(GpuUse(9, every_s, limited_by="nothing"), level=Level(clean_s=clean_s)))
    assert [f"of {2 * every_s:.1f} s at least" in text for text in said] == [True] * words


@pytest.mark.parametrize(("samples", "said"), [(7, 0), (8, 1)])
def test_of_a_few_samples_it_is_not_said_what_they_lack(samples: int, said: int) -> None:
    use = GpuUse(samples, 1.0, why_unknown="they are few")
    assert len(gpus.unknowable(facts(use))) == said
    assert not any("clocks.current.sm" in text for text in gpus.unknowable(facts(use)))
