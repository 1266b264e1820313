"""Two runs side by side: what follows, and what must not be concluded."""

from random import Random

import pytest
from seed_runs import run_a, run_b, run_c, watched

from itermon.analysis.findings import Audit, Findings
from itermon.analysis.run import Run
from itermon.analysis.whatif.compare import _inverse, _mfu, compare
from itermon.analysis.whatif.comparison import Comparison, Pair
from itermon.events import (
    EVALUATION,
    Config,
    Event,
    Iteration,
    SpanEnd,
)

# The bounds as numbers of its own: from the code, a test would move with them.
NEWEST = 4_096


@pytest.fixture(scope="module")
def b() -> Comparison:
    return compare(watched(run_b("before")), watched(run_b("after")))


def test_b_has_fewer_tokens_because_the_model_costs_more(b: Comparison) -> None:
    assert b.tokens_per_s is not None
    assert round(1 - b.tokens_per_s.ratio, 2) == 0.58
    assert b.headline == "58 % fewer tokens/s, because the model costs 2.85 × the FLOPs a token."


def test_b_mfu_rises_by_two_and_a_half_points(b: Comparison) -> None:
    assert b.mfu is not None
    assert b.mfu_of.startswith("A100")
    assert [round(100 * m, 1) for m in (b.mfu.a, b.mfu.b)] == [12.9, 15.4]
    assert round(100 * (b.mfu.b - b.mfu.a), 1) == 2.5
    assert round(b.mfu.ratio - 1, 2) == 0.19


def test_b_achieves_a_fifth_more(b: Comparison) -> None:
    assert b.achieved_flops is not None
    assert round(b.achieved_flops.ratio - 1, 2) == 0.19
    assert any("19 % more FLOP/s" in s for s in b.sentences)


def test_b_time_per_token(b: Comparison) -> None:
    assert b.token_s is not None
    assert round(1e6 * b.token_s.a, 2) == 7.44
    assert round(1e6 * b.token_s.b, 1) == 17.8
    assert round(b.token_s.ratio, 2) == 2.39
    assert any("7.44 µs and 17.8 µs" in s for s in b.sentences)


def test_b_micro_steps_are_not_comparable(b: Comparison) -> None:
    assert b.micro_step_s is not None
    assert [round(1e3 * s, 1) for s in (b.micro_step_s.a, b.micro_step_s.b)] == [121.9, 145.9]
    assert not b.micro_steps_comparable
    assert any("not comparable" in s for s in b.sentences)


def test_b_same_number_of_steps_and_a_lower_loss(b: Comparison) -> None:
    assert any("same number of optimizer steps" in s for s in b.sentences)
    (loss,) = b.losses
    assert loss.tokens == 500 * 524_288
    assert round(loss.b - loss.a, 3) == -0.013
    assert any("0.0134 lower" in s for s in b.sentences)


def test_b_was_no_3060_nor_4060(b: Comparison) -> None:
    assert {"RTX 3060", "RTX 4060", "RTX 4060 Ti"} <= set(b.impossible_gpus)
    assert list(b.impossible_gpus)[-1] == "RTX 5060 Ti"  # the fastest of them last
    assert not {"RTX 4070", "RTX 3080 12GB", "RTX 3080 Ti"} & set(b.impossible_gpus)


def test_b_settings_that_differ(b: Comparison) -> None:
    assert {(d.name, d.a, d.b) for d in b.config} == {
        ("micro_batch_size", "16", "8"),
        ("gradient_accumulation", "32", "64"),
        ("embedding", "384", "768"),
    }


def test_a_run_against_itself_shows_no_difference() -> None:
    run = watched(run_a())
    same = compare(run, run)
    assert same.config == ()
    assert same.headline == "The same tokens/s."
    assert same.iteration_interval is not None
    assert not same.iteration_interval.clear
    assert any("no difference that these timings can show" in s for s in same.sentences)


def test_runs_compare_as_wholes_and_without_their_spikes() -> None:
    def timed(late_s: float) -> Run:
        times = [60.0 if i % 50 == 49 else late_s if i > 700 else 1.0 + 0.002 * (i % 5) for i in range(800)]
        return watched([Iteration(i, t) for i, t in enumerate(times)])

    found = compare(timed(1.0), timed(2.0))  # slower at its end only
    assert found.iteration_s is not None
    assert found.iteration_interval is not None
    assert found.iteration_s.ratio == pytest.approx(found.iteration_interval.ratio) == pytest.approx(1.0, abs=0.01)


def test_the_same_loss_is_called_equal() -> None:
    run = watched(run_b("after"))
    assert any("5.5194 and 5.5194, equal" in s for s in compare(run, run).sentences)


def test_causes_are_seconds_for_each_iteration() -> None:
    found = compare(watched(run_a()), watched(run_a()[:-60]))
    (stop,) = [row for row in found.causes if row.cause == "evaluation + checkpoint"]
    assert stop.a_s == pytest.approx(63.0 / 300, rel=1e-3)  # one stop in more iterations
    assert stop.b_s > stop.a_s
    assert stop.a_share == pytest.approx(63.0 / (300 * 21.0 + 63.0), rel=1e-3)


def test_seconds_a_token_are_the_inverse_of_tokens_a_second() -> None:
    assert [_inverse(rate) for rate in (4.0, 0.0, None)] == [0.25, None, None]


@pytest.mark.parametrize(
    ("peak_a", "peak_b", "alike"),
    [(1e14, 1e14, True), (1e14, 2e14, False), (1e14, None, False), (None, None, False)],
)
def test_what_logs_say_of_a_peak_is_compared_where_it_is_the_same(
    peak_a: float | None, peak_b: float | None, alike: bool
) -> None:
    a, b = (
        Findings(audit=Audit(logged_mfu_raw=raw, logged_peak_flops=peak, logged_peak_of="an A100"))
        for raw, peak in ((0.2, peak_a), (0.3, peak_b))
    )
    assert _mfu(a, b) == ((Pair(0.2, 0.3), "an A100 (the log's peak)") if alike else (None, ""))


def test_a_cause_of_either_run_is_compared() -> None:
    stops, none = watched(run_a()), watched([Iteration(i, 2.0, at_s=1_000.0 + 2 * i) for i in range(100)])
    for found in (compare(stops, none), compare(none, stops)):
        (stop,) = [row for row in found.causes if row.cause == "evaluation + checkpoint"]
        assert sorted([stop.a_s, stop.b_s])[0] == 0.0 < max(stop.a_s, stop.b_s)


def test_without_tokens_iterations_are_compared_and_the_rest_is_told_unknown() -> None:
    found = compare(watched(run_c()), watched(run_c()))
    assert found.tokens_per_s is None
    assert "tokens are not known" in found.headline
    assert any("--config" in u for u in found.unknowable)


def test_runs_without_iterations_compare_to_nothing() -> None:
    found = compare(Run(), watched(run_a()))
    assert found.headline == "The speeds cannot be compared: no iteration times were found for the first run."
    assert "whether both ran on the same GPU: no name of one was found for the first run" in found.unknowable
    assert "no iteration times were found for either run" in compare(Run(), Run()).headline


def test_losses_are_read_at_equal_tokens_not_at_equal_iterations() -> None:
    def trained(batch: int, losses: dict[int, float]) -> Run:
        events: list[Event] = [
            Config(micro_batch_size=batch, block_size=100, gradient_accumulation=1, world_size=1)
        ]
        for i in range(41):
            if i in losses:
                events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": losses[i]}))
            events.append(Iteration(i, 1.0))
        return watched(events)

    small = trained(1, {0: 9.5, 20: 5.0, 40: 4.0})  # of which no training has seen the first
    large = trained(2, {0: 9.0, 15: 4.5, 30: 3.5})
    rows = compare(small, large).losses
    assert [(r.iteration, r.tokens, r.a) for r in rows] == [(20, 2000, 5.0), (40, 4000, 4.0)]
    assert rows[0].b == pytest.approx(9.0 - 4.5 * 10 / 15)
    assert rows[1].b == pytest.approx(4.5 - 1.0 * 5 / 15)


def _flat(iteration_s: float, *, layers: int = 12, noise: float = 0.0, seed: int = 1, **config: object) -> Run:
    random = Random(seed)
    known = {"micro_batch_size": 8, "gradient_accumulation": 4, "world_size": 1, **config}
    events: list[Event] = [Config(block_size=1024, layers=layers, embedding=768, bias=False, **known)]  # type: ignore[arg-type]
    return watched([*events, *(Iteration(i, iteration_s * random.gauss(1, noise)) for i in range(60))])


@pytest.mark.parametrize(
    ("iteration_s", "layers", "words"),
    [
        (2.0, 13, "50 % fewer tokens/s, only in small part because the model costs 1.06 × the FLOPs a token."),
        (1.1, 13, "9 % fewer tokens/s, because the model costs 1.06 × the FLOPs a token."),
        (1.0, 13, "The same tokens/s, although the model costs 1.06 × the FLOPs a token."),
        (1.0, 11, "The same tokens/s, although the model costs 0.94 × the FLOPs a token."),
    ],
)
def test_a_model_is_the_reason_only_for_what_it_explains(iteration_s: float, layers: int, words: str) -> None:
    assert compare(_flat(1.0), _flat(iteration_s, layers=layers)).headline == words


def test_the_headline_claims_no_difference_that_the_timings_cannot_show() -> None:
    found = compare(_flat(1.0, noise=0.2, seed=1), _flat(1.02, noise=0.2, seed=5))
    assert found.iteration_interval is not None
    assert not found.iteration_interval.clear
    assert found.headline == "The same tokens/s, as far as these timings can show."


def test_what_all_gpus_achieve_is_not_said_of_one_and_rules_none_out() -> None:
    many = {"world_size": None, "tokens_per_iteration": 64 * 8 * 4 * 1024}
    found = compare(_flat(1.0, **many), _flat(1.0, **many))
    assert any("The GPUs, all together, do" in s for s in found.sentences)
    assert found.impossible_gpus == ()
    assert not any("FLOP/s" in s for s in compare(_flat(1.0), _flat(1.0, **many)).sentences)


def test_far_fewer_are_not_all_of_them() -> None:
    assert compare(_flat(1.0), _flat(800.0)).headline.startswith("99.88 % fewer")


def test_without_tokens_losses_are_compared_at_equal_iterations() -> None:
    def trained(loss: float) -> Run:
        events: list[Event] = []
        for i in range(101):
            if i % 50 == 0:
                events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": loss - i / 100}))
            events.append(Iteration(i, 0.5))
        return watched(events)

    rows = compare(trained(4.0), trained(3.0)).losses
    assert [(row.iteration, row.tokens, row.a, row.b) for row in rows] == [
        (50, None, 3.5, 2.5),
        (100, None, 3.0, 2.0),
    ]


@pytest.mark.parametrize(
    ("one", "two", "texts"),
    [(1_000, 20_000, ("1,000", "20,000")), (None, 5, (None, "5"))],
)
def test_settings_that_differ_are_said_as_people_write_them(
    one: int | None, two: int, texts: tuple[str | None, str]
) -> None:
    runs = [watched([Config(vocabulary=size), *(Iteration(i, 1.0) for i in range(40))]) for size in (one, two)]
    (found,) = [each for each in compare(*runs).config if each.name == "vocabulary"]
    assert (found.a, found.b) == texts


def test_the_newest_iterations_of_a_long_run_are_compared() -> None:
    assert NEWEST == 4_096
    times = [1.0] * 6_000 + [2.0] * NEWEST
    long = watched([Iteration(i, d) for i, d in enumerate(times)])
    short = watched([Iteration(i, 1.0) for i in range(100)])
    found = compare(long, short).iteration_s
    assert found is not None
    assert (found.a, found.b) == (2.0, 1.0)
    found = compare(short, short).iteration_s
    assert found is not None
    assert (found.a, found.b) == (1.0, 1.0)


def test_eight_evaluations_are_shown_each() -> None:
    events: list[Event] = []
    for i in range(81):
        if i % 10 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": 9.0 - i / 100}))
        events.append(Iteration(i, 0.5))
    shown = [row.iteration for row in compare(watched(events), watched(events)).losses]
    assert shown == [10, 20, 30, 40, 50, 60, 70, 80]
    more = [
        *events,
        SpanEnd(EVALUATION, iteration=90, values={"val_loss": 8.0}),
        *(Iteration(i, 0.5) for i in range(81, 92)),
    ]
    assert [row.iteration for row in compare(watched(more), watched(more)).losses] == [10, 30, 50, 70, 90], (
        "of nine"
    )


def test_what_one_iteration_took_is_divided_by_one() -> None:
    one = watched([Iteration(0, 4.0)])
    assert [(row.a_s, row.b_s) for row in compare(one, one).causes] == [(4.0, 4.0)]
