"""What a comparison says: each sentence from the numbers of both runs."""

from __future__ import annotations

import pytest

from itermon.analysis.audit.peaks import table
from itermon.analysis.findings import Audit, Findings, Level, Throughput
from itermon.analysis.whatif.bootstrap import Interval
from itermon.analysis.whatif.comparison import Comparison, LossAt, Pair
from itermon.analysis.whatif.comparison_sentences import _gpus, more, sentences

NAMED = Findings(audit=Audit(gpu="H200", peak_flops=989.4e12), throughput=Throughput(tokens_per_iteration=1_000))
"""A run of which nothing is missing."""

RATE = Pair(100.0, 50.0)
UNCLEAR = "no difference that these timings can show."


def compared(a: Findings = NAMED, b: Findings = NAMED, **parts: object) -> Comparison:
    return sentences(Comparison(**parts), a, b)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0, "the same tokens/s"),
        (1.005, "the same tokens/s"),
        (1.006, "1 % more tokens/s"),
        (0.994, "1 % fewer tokens/s"),
        (1.58, "58 % more tokens/s"),
        (1.999, "100 % more tokens/s"),
        (2.0, "2.00 × the tokens/s"),
        (0.42, "58 % fewer tokens/s"),
        (0.01, "99.00 % fewer tokens/s"),
        (0.011, "99 % fewer tokens/s"),
        (0.0012, "99.88 % fewer tokens/s"),
    ],
)
def test_a_ratio_reads_as_more_or_fewer(ratio: float, text: str) -> None:
    assert more(ratio, "tokens/s") == text


def test_other_words_for_more_and_less() -> None:
    assert more(0.5, "FLOP/s", less_word="less") == "50 % less FLOP/s"
    assert more(1.5, "time", more_word="longer") == "50 % longer time"


@pytest.mark.parametrize(
    ("speed", "work", "headline"),
    [
        (0.5, None, "50 % fewer tokens/s."),
        (0.5, 1.0, "50 % fewer tokens/s."),
        (0.5, 2.0, "50 % fewer tokens/s, because the model costs 2.00 × the FLOPs a token."),
        (0.5, 1.42, "50 % fewer tokens/s, because the model costs 1.42 × the FLOPs a token."),
        (0.5, 1.41, "50 % fewer tokens/s, only in small part because the model costs 1.41 × the FLOPs a token."),
        (0.5, 0.5, "50 % fewer tokens/s, although the model costs 0.50 × the FLOPs a token."),
        (3.0, 0.5, "3.00 × the tokens/s, because the model costs 0.50 × the FLOPs a token."),
        (3.0, 2.0, "3.00 × the tokens/s, although the model costs 2.00 × the FLOPs a token."),
        (1.0, 2.0, "The same tokens/s, although the model costs 2.00 × the FLOPs a token."),
    ],
)
def test_the_headline_gives_the_reason_only_for_what_it_explains(
    speed: float, work: float | None, headline: str
) -> None:
    work_pair = None if work is None else Pair(1.0, work)
    assert compared(tokens_per_s=Pair(1.0, speed), flops_per_token=work_pair).headline == headline


@pytest.mark.parametrize(
    ("interval", "tokens", "headline"),
    [
        (Interval(0.98, 0.9, 1.1), Pair(8, 8), "The same tokens/s, as far as these timings can show."),
        (Interval(0.98, 0.9, 1.1), Pair(8, 9), "2 % more tokens/s."),
        (Interval(0.98, 0.9, 1.1), None, "2 % more tokens/s."),
        (Interval(0.98, 0.9, 0.99), Pair(8, 8), "2 % more tokens/s."),
        (None, Pair(8, 8), "2 % more tokens/s."),
    ],
)
def test_a_difference_that_the_timings_cannot_show_is_none(
    interval: Interval | None, tokens: Pair | None, headline: str
) -> None:
    said = compared(tokens_per_s=Pair(1.0, 1.02), iteration_interval=interval, tokens_per_iteration=tokens)
    assert said.headline == headline


def test_without_tokens_iterations_are_compared_or_nothing() -> None:
    assert compared(iteration_s=Pair(1.0, 2.0)).headline == (
        "An iteration takes 2.00 × as long; tokens are not known."
    )
    slow = Findings(level=Level(1.0))
    assert compared(slow, Findings()).headline.endswith("no iteration times were found for the second run.")
    assert compared(Findings(), slow).headline.endswith("no iteration times were found for the first run.")
    assert compared(Findings(), Findings()).headline.endswith("no iteration times were found for either run.")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"iteration_s": Pair(2.0, 3.0)}, "A normal iteration takes 2.00 s and 3.00 s."),
        (
            {"iteration_s": Pair(2.0, 3.0), "iteration_interval": Interval(1.5, 1.4, 1.6)},
            "A normal iteration takes 2.00 s and 3.00 s (1.50 ×, 95 % between 1.4 and 1.6).",
        ),
        (
            {"iteration_s": Pair(2.0, 2.0), "iteration_interval": Interval(1.0, 0.9, 1.1)},
            f"A normal iteration takes 2.00 s and 2.00 s (1.00 ×, 95 % between 0.9 and 1.1): {UNCLEAR}",
        ),
        (
            {"achieved_flops": Pair(1e12, 1.5e12), "token_s": Pair(1e-6, 2e-6)},
            "The GPU does 50 % more FLOP/s (1.00 TFLOP/s and 1.50 TFLOP/s); a token takes 1.00 µs and 2.00 µs.",
        ),
        ({"achieved_flops": Pair(2e12, 1e12)}, "The GPU does 50 % less FLOP/s (2.00 TFLOP/s and 1.00 TFLOP/s)."),
        (
            {"mfu": Pair(0.129, 0.154), "mfu_of": "A100 (the log's peak)"},
            "MFU 12.9 % and 15.4 % of A100 (the log's peak): +2.5 points, 19.4 % relative.",
        ),
        ({"mfu": Pair(0.2, 0.1), "mfu_of": "H200"}, "MFU 20 % and 10 % of H200: -10.0 points, 50 % relative."),
        ({"mfu": Pair(0.2, 0.4), "mfu_of": "H200"}, "MFU 20 % and 40 % of H200: +20.0 points, 2.00 ×."),
        (
            {"micro_step_s": Pair(0.1, 0.2), "micro_steps_comparable": True},
            "A micro-step takes 100 ms and 200 ms.",
        ),
        (
            {"micro_step_s": Pair(0.1, 0.2)},
            "Micro-steps (100 ms and 200 ms) are not comparable: they hold different numbers of tokens.",
        ),
        ({"tokens_per_iteration": Pair(8, 8)}, "The same tokens take the same number of optimizer steps."),
        ({"tokens_per_iteration": Pair(8, 4)}, "The same tokens take 2.00 × the optimizer steps."),
        ({"tokens_per_iteration": Pair(4, 8)}, "The same tokens take 50 % fewer optimizer steps."),
        (
            {"losses": (LossAt(10, 80, 9.0, 9.0), LossAt(500, 4_000, 3.5, 3.25))},
            "Validation loss after 4,000 tokens (iteration 500): 3.5000 and 3.2500, 0.2500 lower.",
        ),
        (
            {"losses": (LossAt(500, None, 3.25, 3.5),)},
            "Validation loss at iteration 500: 3.2500 and 3.5000, 0.2500 higher.",
        ),
        (
            {"losses": (LossAt(500, None, 3.25, 3.2504),)},
            "Validation loss at iteration 500: 3.2500 and 3.2504, equal.",
        ),
        (
            {"losses": (LossAt(500, None, 0.0, 0.0005),)},
            "Validation loss at iteration 500: 0.0000 and 0.0005, 0.0005 higher.",
        ),
        (
            {"losses": (LossAt(500, None, 3.25, 3.2506),)},
            "Validation loss at iteration 500: 3.2500 and 3.2506, 0.0006 higher.",
        ),
    ],
)
def test_each_sentence(parts: dict[str, object], sentence: str) -> None:
    assert compared(**parts).sentences == (sentence,)


def test_flops_of_one_gpu_and_of_all_are_not_compared() -> None:
    assumed = Findings(audit=Audit(estimated="1 GPU assumed"))
    flops = Pair(1e12, 1.5e12)
    first, *_ = compared(assumed, assumed, achieved_flops=flops).sentences
    assert first.startswith("The GPUs, all together, do 50 %")
    assert compared(assumed, NAMED, achieved_flops=flops).sentences == ()


def achieved(flops: float | None, **audit: object) -> Findings:
    return Findings(audit=Audit(achieved_flops=flops, precision="bf16", **audit))  # type: ignore[arg-type]


def test_gpus_that_are_too_slow_are_named_the_fastest_last() -> None:
    said = compared(achieved(40e12), achieved(48e12), achieved_flops=Pair(40e12, 48e12))
    assert {"RTX 3060", "RTX 4060"} <= set(said.impossible_gpus)
    peaks = {peak.label: peak.at(None)[0] or 0.0 for peak in table()}
    assert list(said.impossible_gpus) == sorted(said.impossible_gpus, key=lambda label: peaks[label])
    last = said.sentences[-1]
    assert last.startswith(f"A GPU that does 48.0 TFLOP/s is none of {len(said.impossible_gpus)} slower ones")
    assert last.endswith(f"{said.impossible_gpus[-2]} or {said.impossible_gpus[-1]}.")


def test_no_gpu_is_excluded_where_one_is_named_or_their_number_is_not_known() -> None:
    fast = achieved(48e12)
    for other in (achieved(48e12, peak_flops=1e15), achieved(48e12, estimated="1 GPU assumed")):
        assert compared(fast, other).impossible_gpus == ()
        assert compared(other, fast).impossible_gpus == ()
    assert compared(achieved(None), achieved(None)).impossible_gpus == ()
    assert compared(achieved(None), fast).impossible_gpus != ()


def test_what_is_not_known_of_either_run_is_asked_for() -> None:
    loss = (LossAt(1, None, 1.0, 1.0),)
    assert compared(tokens_per_s=RATE, losses=loss).unknowable == ()
    other = Findings(audit=Audit(gpu="A100"), throughput=NAMED.throughput)
    assert compared(NAMED, other, tokens_per_s=RATE, losses=loss).unknowable == (
        "how much of it is the GPU: they ran on different ones",
    )
    assert compared(tokens_per_s=RATE).unknowable == (
        "which one learns better: there are no validation losses after equal tokens",
    )
    bare = Findings()
    assert compared(NAMED, bare, losses=loss).unknowable == (
        "tokens/s: no batch was found for the second run; give --config",
        "whether both ran on the same GPU: no name of one was found for the second run",
    )
    assert compared(bare, bare, losses=loss).unknowable == (
        "tokens/s: no batch was found for either run; give --config",
        "whether both ran on the same GPU: no name of one was found for either run",
    )


def test_half_a_comparison_is_none() -> None:
    assert Pair.of(1.0, None) is None
    assert Pair.of(0, 1.0) is None
    pair = Pair.of(2.0, 3.0)
    assert pair is not None
    assert pair.ratio == 1.5


@pytest.mark.parametrize(
    ("count", "words"), [(6, "6 slower ones, such as C, D, E or F"), (4, "4 slower ones, such as A, B, C or D")]
)
def test_the_fastest_four_of_the_gpus_that_are_too_slow_are_named(count: int, words: str) -> None:
    made = Comparison(achieved_flops=Pair(1e12, 2e12))
    assert _gpus(made, tuple("ABCDEF"[:count])) == f"A GPU that does 2.00 TFLOP/s is none of {words}."
    assert _gpus(made, ()) == ""
