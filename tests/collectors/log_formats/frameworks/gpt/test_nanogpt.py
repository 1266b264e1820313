"""What nanoGPT's lines say."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_examples import iterations, read

from itermon.collectors.log_formats.frameworks.gpt.nanogpt import NanoGPT, is_iteration
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    expand,
)

CORPUS = Path(__file__).parents[5].parent / "shared" / "corpus" / "nanogpt"

ONE = "iter 0: loss 10.9, time 20000.00ms, mfu -100.00%"
HEADER = """\
Overriding config with config/train_little.py:
# a comment
batch_size = 12  # sequences
block_size = 1024
gradient_accumulation_steps = 5 * 8

max_iters = 600000
out_dir = 'out-little'
Overriding: max_iters = 1000
Overriding: dataset = tinystories
tokens per iteration will be: 491,520
tokens per iteration will be: 491,520
Initializing a new model from scratch
number of parameters: 123.59M
number of parameters: 123.59M
"""


def events_of(text: str) -> list[Event]:
    return LogReader([ONE]).feed(text.encode())


def test_an_iteration_with_evaluation_and_checkpoint() -> None:
    first, *events = events_of(
        "step 250: train loss 1.9635, val loss 2.0707\nsaving checkpoint to out\n"
        "iter 250: loss 2.0070, time 6022.30ms, mfu 9.41%\n"
    )
    assert isinstance(first, RunInfo)
    assert set(first.time_includes) == {EVALUATION, CHECKPOINT}
    assert [e for e in events if type(e) is not Config] == [
        SpanEnd(EVALUATION, iteration=250, values={"train_loss": 1.9635, "val_loss": 2.0707}),
        SpanBegin(CHECKPOINT, iteration=250, detail="out"),
        Iteration(250, duration_s=6.0223, loss=2.007, mfu=0.0941),
    ]


@pytest.mark.parametrize(
    ("line", "iteration"),
    [
        ("iter 1631: loss 4.0863, time 561.94ms", Iteration(1631, 0.56194, 4.0863)),
        ("iter 7: loss 6.1551 BPC, time 60.5ms, mfu 7.56%", Iteration(7, 0.0605, 6.1551, 0.0756)),
        ("iter 7: loss 4.2, time 60.5 ms, mfu 7.56%", Iteration(7, 0.0605, 4.2, 0.0756)),
        ("iter 7: loss 4.2, lr 1e-4, time 60.5ms, mfu 7.56%", Iteration(7, 0.0605, 4.2, 0.0756)),
        ("iter 7: loss nan, time 60.5ms, mfu 7.56%", Iteration(7, 0.0605, None, 0.0756, bad_loss="nan")),
        ("iter 7: loss -inf, time 60.5ms, mfu 7.56%", Iteration(7, 0.0605, None, 0.0756, bad_loss="-inf")),
        ("iter 7: loss 4.2", Iteration(7, None, 4.2)),
        ("iter 0: loss 4.2, time 60.5ms, mfu -100.00%", Iteration(0, 0.0605, 4.2)),
    ],
)
def test_lines_of_forks_and_of_trouble(line: str, iteration: Iteration) -> None:
    assert [e for e in NanoGPT().line(line, None) if type(e) is Iteration] == [iteration]


@pytest.mark.parametrize(
    "line",
    ["", "iter 5", "iter 5: time 3ms", "iter x: loss 3", "iter 9999999999999999999: loss 1", "step 5: loss 1"],
)
def test_other_lines_say_nothing(line: str) -> None:
    assert list(NanoGPT().line(line, None)) == []


def test_the_header_gives_the_config_and_the_number_of_ranks() -> None:
    events = events_of(HEADER + "iter 0: loss 10.9, time 20000.00ms, mfu -100.00%\n")
    assert isinstance(events[0], RunInfo)
    known: dict[str, object] = {}
    for event in events:
        if isinstance(event, Config) and event.origin == "log":
            known |= {f: v for f in event.__struct_fields__ if (v := getattr(event, f)) not in (None, {})}
    assert known["tokens_per_iteration"] == 491_520
    assert known["world_size"] == 2
    assert known["gradient_accumulation"] == 20
    assert known["micro_batch_size"] == 12
    assert known["max_iterations"] == 1000
    assert known["dataset"] == "tinystories"
    assert known["parameters"] == 123_590_000
    assert known["extra"]["out_dir"] == "out-little"  # type: ignore[index]


def test_defaults_are_taken_only_where_they_give_the_printed_tokens_per_iteration() -> None:
    for tokens, defaults in (("491,520", 1), ("16,384", 0)):
        events = events_of(f"tokens per iteration will be: {tokens}\niter 0: loss 10.9, time 20.00ms\n")
        found = [e for e in events if isinstance(e, Config) and e.origin == "nanoGPT's default"]
        assert len(found) == defaults
        assert all(config.max_iterations == 600_000 for config in found)


def test_a_second_process_in_one_log_is_another_run() -> None:
    lines = "".join(f"iter {i}: loss 1.0, time 10.00ms, mfu 9.00%\n" for i in range(20))
    infos = [e for e in events_of(lines + lines) if isinstance(e, RunInfo)]
    assert len(infos) == 2


def test_a_resumed_process_is_told_by_its_first_mfu() -> None:
    lines = "iter 10: loss 1.0, time 10.00ms, mfu 9.00%\nstep 20: train loss 1.0, val loss 1.0\n"
    resumed = "iter 20: loss 1.0, time 99.00ms, mfu -100.00%\niter 30: loss 1.0, time 10.00ms, mfu 9.00%\n"
    infos = [e for e in events_of(lines + resumed) if isinstance(e, RunInfo)]
    assert [info.resumed for info in infos] == [None, True]


def test_an_evaluation_in_front_of_a_resumed_processs_first_iteration_is_that_iterations() -> None:
    before = "iter 10: loss 1.0, time 10.00ms, mfu 9.00%\n"
    step, first = "step {}: train loss 1.0, val loss 1.0\n", "iter 20: loss 1.0, time 99.00ms, mfu -100.00%\n"
    assert [(type(e), getattr(e, "told", None)) for e in events_of(before + step.format(20) + first)][-5:] == [
        (SpanEnd, False),
        (RunInfo, None),
        (Config, None),
        (SpanEnd, True),
        (Iteration, None),
    ]
    printed = step.format(20) + first.replace("-100.00", "9.00") + first  # the one before had come so far, too
    for lines in (before + step.format(10) + first, before + printed):
        assert not any(e.told for e in events_of(lines) if isinstance(e, SpanEnd))


numbers = st.floats(0, 1e6).map(lambda x: f"{x:.4f}") | st.sampled_from(["nan", "inf", "-1.5", "1e5", "007", "3"])
iter_lines = st.builds(
    "iter {}: loss {}, time {}ms, mfu {}%".format,
    st.integers(0, 50),
    numbers,
    numbers,
    numbers | st.just("-100.00"),
)
garbage = st.sampled_from(
    ["iter ", "iter 1,2,3,4%", "iter 5", "step 3: train loss 1.0, val loss nan", "", "]", "[[1]]"]
)


@given(st.lists(iter_lines | garbage, max_size=40), st.booleans())
def test_the_fast_way_and_the_slow_way_say_the_same(lines: list[str], ordered: bool) -> None:
    if ordered:
        lines = sorted(lines, key=lambda line: int(line[5:].split(":")[0]) if ": loss" in line else 0)
    text = "".join(line + "\n" for line in lines)
    slow = NanoGPT()
    expected = [event for line in lines for event in slow.line(line, None)]
    _info, *events = expand(LogReader([ONE]).feed(text.encode())) if lines else [None]
    assert len(events) == len(expected)
    for event, other in zip(events, expected, strict=True):
        seen = {"recognised": "", "known_lines": None}  # by the reader, of all lines together
        compared = msgspec.structs.replace(event, **seen) if isinstance(event, RunInfo) else event
        assert compared == other


@pytest.mark.skipif(not CORPUS.exists(), reason=f"the real logs are not at {CORPUS}")
def test_every_iteration_of_the_real_logs_is_read() -> None:
    for path in sorted(CORPUS.glob("*")):
        text = re.sub(r"\x1b\[[\d;]*m", "", path.read_text(errors="replace"))
        printed = re.findall(
            r"^iter (\d+): loss ([\d.]+)(?: BPC)?, time ([\d.]+) ?ms, mfu ([-\d.]+)%", text, re.MULTILINE
        )
        read = [e for e in expand(LogReader([ONE]).feed(path.read_bytes())) if isinstance(e, Iteration)]
        assert [e.index for e in read] == [int(index) for index, *_ in printed]
        assert sum(e.loss or 0 for e in read) == pytest.approx(sum(float(loss) for _, loss, *_ in printed))
        assert sum(e.duration_s or 0 for e in read) == pytest.approx(
            sum(float(ms) for _, _, ms, _ in printed) / 1e3
        )
        assert sum(e.mfu or 0 for e in read) == pytest.approx(sum(max(float(mfu), 0) for *_, mfu in printed) / 100)
        spans = [e for e in LogReader([ONE]).feed(path.read_bytes()) if isinstance(e, SpanBegin | SpanEnd)]
        assert sum(e.kind == EVALUATION for e in spans) == len(
            re.findall(r"^step \d+: train loss", text, re.MULTILINE)
        )
        assert sum(e.kind == CHECKPOINT for e in spans) == len(
            re.findall(r"^saving checkpoint", text, re.MULTILINE)
        )


def test_a_line_alone_says_to_the_last_bit_what_it_says_among_many() -> None:
    row = "iter 11: loss 2.5012, time 31.07ms, mfu 40.15%"
    parser = NanoGPT()
    parser.line("iter 10: loss 2.5012, time 31.07ms, mfu 40.15%", None)
    together = parser.block(f"{row}\n".encode())
    assert together is not None
    assert list(together) == list(parser.line(row, None)) == [Iteration(11, 0.03107, 2.5012, 0.4015)]


@pytest.mark.parametrize(
    ("indices", "goes_on"),
    [((10, 11), True), ((11, 12), True), ((9, 12), False), ((12, 11), False), ((9,), False)],
)
def test_lines_together_are_of_one_process_where_none_goes_back(indices: tuple[int, ...], goes_on: bool) -> None:
    parser = NanoGPT()
    row = "iter {}: loss 2.5012, time 31.07ms, mfu 40.15%\n"
    rows = "".join(row.format(index) for index in indices).encode()
    assert parser.block(rows) is None, "its settings come first"
    parser.line(row.format(10).strip(), None)
    assert (parser.block(rows) is not None) is goes_on


def test_the_defaults_are_those_of_its_train_py() -> None:
    """As they stand in train.py at commit 3adf61e."""
    events = events_of(f"tokens per iteration will be: 491,520\nnumber of parameters: 123.59M\n{ONE}\n")
    (found,) = (e for e in events if isinstance(e, Config) and e.origin == "nanoGPT's default")
    assert found == Config(
        origin="nanoGPT's default",
        micro_batch_size=12,
        block_size=1024,
        gradient_accumulation=40,
        world_size=1,
        tokens_per_iteration=491_520,
        layers=12,
        heads=12,
        embedding=768,
        bias=False,
        max_iterations=600_000,
        warmup_iterations=2_000,
        evaluation_interval=2_000,
        evaluation_iterations=200,
        checkpoint_interval=2_000,
        checkpoint_needs_improvement=False,
        log_interval=1,
        compiled=True,
        extra={"gradient_accumulation_steps": "40"},
    )


@pytest.mark.parametrize(("before", "known"), [(499, 77), (500, 600_000)])  # then the script's own default
def test_of_a_printed_config_five_hundred_settings_are_read(before: int, known: int) -> None:
    settings = "warm = 1\n" * before + "max_iters = 77\n"
    said = f"Overriding config with big.py:\n{settings}tokens per iteration will be: 491,520\n{ONE}\n"
    assert {e.max_iterations for e in events_of(said) if type(e) is Config} == {None, known}


def test_a_fork_that_names_its_parts_prints_what_each_iteration_took() -> None:
    """`each` of ten: the mean of those since the row before."""
    lines = (
        "[eval] iter 0: train 9.5000 val 9.2500 lr 1.00e-07",
        "[train] iter 10: loss 8.5000 9000 ms/iter",
        "[train] iter 20: loss 8.2500 250.5 ms/iter",
        "[eval] iter 30: train 8.0000 val 8.1250 lr 1.00e-07",
        "[train] iter 30: loss 8.0000, 1250 ms/iter",
    )
    events = read("nanoGPT", "\n".join(lines))
    assert [(one.index, one.duration_s, one.averaged_over) for one in iterations(events)] == [
        (10, 9.0, 1),
        (20, 0.2505, 10),
        (30, 1.25, 10),
    ]
    found = [(one.iteration, one.values) for one in events if isinstance(one, SpanEnd)]
    assert found == [(0, {"train_loss": 9.5, "val_loss": 9.25}), (30, {"train_loss": 8.0, "val_loss": 8.125})]


def test_an_iteration_of_an_epoch_is_another_trainers() -> None:
    own = "iter 5: loss 2.5000, time 12.50ms"
    assert is_iteration(own)
    assert is_iteration(f"[epoch 3] step 4 {own}")
    for front in ("epoch 1 ", "Epoch 1/20, ", "epoch: 3 - ", "[epoch 2] "):
        assert not is_iteration(f"{front}{own}"), front
        assert iterations(read("nanoGPT", f"{front}{own}\n")) == []
