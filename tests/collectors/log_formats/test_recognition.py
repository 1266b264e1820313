"""A log that grows line by line is recognised as soon as it can be, and anew where the first lines misled."""

import not_trainings
import pytest

from itermon.collectors.log_formats import recognition, registry
from itermon.collectors.log_formats.base import Candidate, Specificity
from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser, log_format
from itermon.collectors.log_formats.recognition import Recogniser, Recognition, RunnerUp, recognise
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Iterations, RunInfo


def feed_lines(text):
    reader = LogReader()
    events = [event for line in text.splitlines(keepends=True) for event in reader.feed(line.encode(), 1.0)]
    return reader, events


def test_one_line_that_looks_like_a_table_does_not_hide_the_header_before_it():
    reader, events = feed_lines(
        "tokens per iteration will be: 16,384\nnumber of parameters: 10.65M\n"
        "step 0: train loss 4.2, val loss 4.3\n"
        "iter 0: loss 4.2163, time 40632.86ms, mfu -100.00%\niter 1: loss 4.0, time 1970.20ms, mfu -100.00%\n"
    )
    assert reader.format.name == "nanoGPT"
    assert [e.index for e in events if isinstance(e, Iteration)] == [0, 1]


def test_a_better_fit_takes_over_and_reads_all_from_the_beginning():
    head = "".join(f"Epoch {n} - loss: 3.5 - dropped: 2\n" for n in range(2))
    rest = "| loss 4.5 (+0.1z)| norm 1.0 (+0.1z)| lr 1e-04 | 100.00 ms | 50.0% bf16 MFU | 9 tok/s"
    rows = "".join(f"step {n:5d}/100 {rest}\n" for n in range(1, 4))
    reader, events = feed_lines(head + rows)
    assert reader.format.name == "llm.c"
    last_run = max(at for at, event in enumerate(events) if isinstance(event, RunInfo))
    assert [e.index for e in events[last_run:] if isinstance(e, Iteration)] == [1, 2, 3]
    assert reader.lines == 5


def test_a_settled_format_is_not_asked_again():
    rows = [f"iter {n}: loss 4.0, time 19.20ms, mfu 1.00%\n" for n in range(20)]
    reader, _ = feed_lines("".join(rows))
    foreign = "step     1 | loss: 9.5 | lr 8.3e-07 | norm: 1.0 | dt: 9021.50ms | tok/sec: 58115.20\n" * 50
    assert not [e for e in reader.feed(foreign.encode()) if isinstance(e, RunInfo)]
    assert reader.format.name == "nanoGPT"


def test_text_without_iterations_is_no_table():
    reader, events = feed_lines("a, b, c\nLoading, please wait\n1, 2, 3\n")
    assert reader.format is None
    assert not events


def test_a_long_header_alarms_nobody_and_the_coverage_is_told_beside_the_format():
    header = "".join(f"downloading shard {n} of many\n" for n in range(70))
    rows = "".join(f"iter {n}: loss 4.0, time 19.20ms, mfu 1.00%\n" for n in range(30))
    reader = LogReader()
    info = reader.feed((header + rows).encode())[0]
    assert isinstance(info, RunInfo)
    assert info.source_format == "nanoGPT log"
    assert info.recognised.startswith("recognised by 30 % of the lines looked at")
    assert (reader.recognition.owned, reader.recognition.coverage) == (30, 0.3)


def test_the_next_best_format_is_told_with_what_it_would_read():
    llm_c = "step {}/20 | loss 9.1 (+nanz)| norm 1.0 (+nanz)| lr 1e-4 | 350.1 ms | 40.0% bf16 MFU | 149 tok/s\n"
    reader = LogReader()
    info = reader.feed("".join(map(llm_c.format, range(1, 21))).encode())[0]
    assert isinstance(info, RunInfo)
    assert info.source_format == "llm.c log"
    assert info.recognised == "recognised by 100 % of the lines looked at"


def test_an_unknown_log_claims_nothing():
    reader, _ = feed_lines("hello\nworld\n")
    assert (reader.recognition.label, reader.recognition.reason, reader.recognition.coverage) == (
        "no known format",
        "",
        0,
    )


def test_bars_below_the_word_that_they_test_speak_for_no_training():
    bar = "100%|█████| 310/310 [00:32<00:00,  9.54it/s]"
    epoch = "Epoch {e}[{n}/400]: loss:0.7\n"
    rows = "".join(
        epoch.format(e=e, n=1) + epoch.format(e=e, n=201) + f"Test on Epoch {e}\n{bar}\nEvaluation\n{bar}\n"
        for e in range(1, 4)
    )
    assert recognise(rows.splitlines()).label == "key: value log"
    stamped = [f"2024-05-01 10:00:00.123 {line}" for line in rows.splitlines()]
    assert recognise(stamped).label == "key: value log"
    assert (
        recognise(rows.replace("Test on", "After").replace("Evaluation", "Epoch").splitlines()).label == "tqdm log"
    )


def test_a_line_is_matched_once_however_much_is_asked_of_it():
    """Recognition looks at hundreds of lines before the first is read."""
    matched = []

    class Counting(LineParser):
        name = "counting"
        lines = (Line("at ", r"at (?P<iteration>\d+) loss (?P<loss>N)"),)

        @classmethod
        def match(cls, text):
            matched.append(text)
            return super().match(text)

    lines = ["at 1 loss 2.5", "at 2 loss 2.25", "nothing"]
    found = recognise(lines, [log_format(Counting)])
    assert (found.owned, found.iterations, found.lines) == (2, 2, 3)
    assert matched == lines


class Banner(LineParser):
    """Its rows are anybody's; what only it has is its banner."""

    name = "banner"
    lines = (
        Line("at ", r"at (?P<iteration>\d+) loss (?P<loss>N)", distinctive=False),
        Line("the banner of", r"the banner of", "known"),
    )


def loaded_late(parser):
    """A format whose loading is noticed."""
    made = log_format(parser)
    needs = parser.needs(thorough=True), parser.needs(thorough=True, distinctive=True)
    loads = []
    return Candidate(*needs, made.specificity, lambda: loads.append(1) or made), loads


ROWS = [f"at {n} loss 2.5" for n in range(20)]


def test_a_format_is_loaded_when_a_line_holds_what_its_own_lines_need(monkeypatch):
    candidate, loads = loaded_late(Banner)
    monkeypatch.setattr(registry, "candidates", lambda: (candidate,))
    recogniser = Recogniser()
    assert recogniser.add(["hello", "at the loss of all hope", "the banner", "of"]).format is None
    assert recogniser.add(ROWS).format is None
    assert not loads
    found = recogniser.add(["the banner of"])
    assert (found.label, found.iterations, found.owned, found.lines) == ("banner log", 20, 21, 25)
    assert len(loads) == 1


def test_a_copy_goes_on_from_what_was_seen_and_leaves_the_first_as_it_was() -> None:
    lines = [f"Epoch {n} - loss: 3.5 - dropped: 2" for n in range(8)]
    first, all_at_once = Recogniser(), Recogniser()
    seen = first.add(lines[:4])
    other = first.copy()
    assert other.decision() == seen
    assert seen.format is not None
    all_at_once.add(lines[:4])
    assert other.add(lines[4:]) == all_at_once.add(lines[4:])
    assert first.decision() == seen


@pytest.mark.parametrize("end", [[], ["the banner of"], ["the banner of", *ROWS]])
@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_whether_a_format_is_loaded_late_changes_nothing(pieces, end, monkeypatch):
    candidate, _ = loaded_late(Banner)
    lines = [*ROWS, "Epoch 1", "hello", *end]
    decisions = []
    for one in (candidate, log_format(Banner).candidate, candidate._replace(telling=((),))):
        monkeypatch.setattr(registry, "candidates", lambda one=one: (one,))
        recogniser = Recogniser()
        decided = [recogniser.add(lines[at : at + pieces], between=at == 2) for at in range(0, len(lines), pieces)]
        decisions.append([(found.label, found.reason, found.owned, found.runners_up) for found in decided])
    assert decisions[0] == decisions[1] == decisions[2]


def test_of_lines_that_are_too_many_to_be_kept_all_formats_are_asked(monkeypatch):
    monkeypatch.setattr(recognition, "_MOST_SEEN", 1_000)
    candidate, loads = loaded_late(Banner)
    monkeypatch.setattr(registry, "candidates", lambda: (candidate,))
    recogniser = Recogniser()
    for _ in range(10):
        recogniser.add(ROWS)
    assert loads
    assert not recogniser._seen
    assert recogniser.add(["the banner of"]).iterations == 200


@pytest.mark.parametrize("name", not_trainings.texts())
def test_a_text_without_a_training_has_no_iteration(name):
    reader = LogReader()
    events = reader.feed(not_trainings.texts()[name].encode()) + reader.end(b"")
    assert not [one for one in events if isinstance(one, (Iteration, Iterations))]


def bare_bar(total=500):
    return [
        f"{n * 100 // total}%|█ | {n}/{total} [00:{n // 10:02d}<00:30, 10.00it/s]"
        for n in range(20, total + 1, 20)
    ]


def test_a_bar_without_a_word_that_begins_after_the_last_row_is_no_training_s():
    rows = [f"epoch: {n}, train_loss: {2 - n / 10}" for n in range(1, 4)]
    for bars in (bare_bar(), bare_bar(100_000)[-30:]):
        assert recognise([*rows, *bars]).format.name == "key: value"


def test_bars_that_say_nothing_of_a_training_are_no_reason_to_know_its_own_bars_less_well():
    rows = [f"accuracy: 0.5, loss: {2.5 - n / 4} ||: 100%|####| 40/40 [00:12<00:00,  3.33it/s]" for n in range(4)]
    assert recognise([*rows, *bare_bar()]).format.name == "AllenNLP bars"


def test_few_rows_that_are_nearly_all_that_was_printed_are_the_training_s_before_a_bar_without_a_word():
    rows = [line for n in range(1, 4) for line in (f"current step: {n}th step", f"batch loss:{2.5 - n / 4}")]
    assert recognise([*rows, *bare_bar()]).format.name == "counted lines"
    others = [f"something else {'abcdefgh'[n]}" for n in range(8)]
    assert recognise([*rows, *others, *bare_bar()]).format.name == "tqdm", "they may be rows by chance"
    assert recognise([*rows[:4], *bare_bar()]).format.name == "tqdm"


def test_rows_that_stand_between_the_lines_seen_first_are_none_after_them():
    recogniser = Recogniser()
    rows = [f"epoch: {n}, train_loss: {2 - n / 100}" for n in range(1, 30)]
    recogniser.add([*rows[:3], *bare_bar()])
    assert recogniser.add(rows[3:8], between=True).format.name == "key: value"


def test_a_bar_without_a_word_is_the_training_s_where_it_begins_before_the_rows():
    rows = [f"epoch: {n}, train_loss: {2 - n / 10}" for n in range(1, 4)]
    bars = bare_bar()
    assert recognise([*bars[:5], rows[0], *bars[5:], *rows[1:]]).format.name == "tqdm"


@pytest.mark.parametrize(("rows", "name"), [(4, "nanoGPT"), (5, "key: value")])
def test_four_rows_of_a_guess_give_way_to_the_header_of_a_framework(rows, name):
    head = ["tokens per iteration will be: 16,384"]
    assert recognise([*head, *(f"step {n} loss: 2.5" for n in range(rows))]).format.name == name


def made(called, pattern, **more):
    return log_format(type(called, (LineParser,), {"name": called, "lines": (Line("at ", pattern),), **more}))


@pytest.mark.parametrize(("both", "first"), [(8, "knows better"), (7, "usual")])
def test_a_format_that_knows_the_lines_better_reads_them_if_it_reads_four_fifths(both, first):
    usual = made("usual", r"at (?P<iteration>\d+)")
    better = made("knows better", r"at (?P<iteration>\d+) loss (?P<loss>N)", reads_instead_of=("usual",))
    lines = [f"at {n} loss 2.5" if n < both else f"at {n}" for n in range(10)]
    for formats in ([usual, better], [better, usual]):
        found = recognise(lines, formats)
        assert found.format.name == first
        assert {one.format for one in found.runners_up} == {"usual", "knows better"} - {first}


def test_a_format_that_only_knows_the_lines_better_does_not_replace_another_one():
    usual = made("usual", r"at (?P<iteration>\d+)")
    other = made("other", r"at (?P<iteration>\d+) loss (?P<loss>N)", reads_instead_of=("somebody else's",))
    lines = [f"at {n} loss 2.5" if n < 9 else f"at {n}" for n in range(10)]
    assert recognise(lines, [usual, other]).format.name == "usual"


def test_three_runners_up_are_named_with_what_they_would_read():
    formats = [made(f"number {most}", rf"at (?P<iteration>[0-{most}])\b") for most in (9, 7, 5, 3, 1)]
    found = recognise([f"at {n} x" for n in range(10)] + ["nothing"] * 10 + ["", "  "], formats)
    assert (found.format.name, found.owned, found.lines, found.iterations) == ("number 9", 10, 20, 10)
    assert [(one.format, one.coverage, one.iterations) for one in found.runners_up] == [
        ("number 7", 0.4, 8), ("number 5", 0.3, 6), ("number 3", 0.2, 4)
    ]  # fmt: skip


@pytest.mark.parametrize(("owned", "said"), [(1, "1 %"), (10, "5 %")])
def test_the_share_of_lines_is_said_roughly_and_of_less_than_one_percent_with_its_tenths(owned, said):
    own = made("own", r"at (?P<iteration>\d+)")
    lines = [f"at {n}" for n in range(owned)] + ["nothing"] * (100 if owned == 1 else 190)
    assert f"recognised by {said} of" in recognise(lines[: 100 if owned == 1 else 200], [own]).reason
    few = recognise(["at 1", *["nothing"] * 199], [own])
    assert "recognised by 0.5 % of the lines looked at" in few.reason


def test_a_format_that_is_left_out_is_not_taken_until_it_is_taken_back():
    usual, other = made("usual", r"at (?P<iteration>\d+)"), made("other", r"at (?P<iteration>\d)\b")
    recogniser = Recogniser([usual, other])
    lines = [f"at {n}" for n in range(20)]
    assert recogniser.add(lines).format.name == "usual"
    recogniser.leave_out(usual)
    assert recogniser.add(["x"]).format.name == "other"
    recogniser.take_back(usual)
    assert recogniser.add(["x"]).format.name == "usual"


def test_a_format_without_an_iteration_or_without_a_proof_is_no_runner_up():
    head, rows = "tokens per iteration will be: 16,384", [f"step {n} loss: 2.5" for n in range(5)]
    found = recognise([head, *rows])
    assert found.format.name == "key: value"
    assert "nanoGPT" not in {one.format for one in found.runners_up}
    formats = [
        made("usual", r"at (?P<iteration>\d+)"),
        made("proven", r"at (?P<iteration>\d)\b"),
        made("unproven", r"at (?P<iteration>[0-7])\b", specificity=Specificity.UNPROVEN),
    ]
    assert [one.format for one in recognise([f"at {n}" for n in range(20)], formats).runners_up] == ["proven"]


@pytest.mark.parametrize(("share", "said"), [(0.25, "; next best: tqdm, 25 %"), (0.75, "")])
def test_a_format_that_knows_more_of_the_lines_is_no_next_best(share: float, said: str) -> None:
    found = Recognition(registry.all_formats()[0], 10, 20, 5, (RunnerUp("tqdm", share, 5),))
    assert found.reason == f"recognised by 50 % of the lines looked at{said}"


def test_a_name_in_a_frame_of_keras_counts_nothing() -> None:
    frames = [f"{n}00/50000 [>........] - ETA: 1:05 - loss: 0.5 - orbiter_accuracy: 0.75" for n in range(1, 400)]
    full = "50000/50000 [=========] - 50s 1ms/step - loss: 0.5 - orbiter_accuracy: 0.75"
    found = recognise(["Epoch 1/5", *frames, full]).format
    assert found is not None
    assert found.name == "Keras"


def test_bars_of_predictions_are_no_training_beside_rows_that_tell_of_a_loss() -> None:
    epochs = [f"Epoch {n}, Loss: {3 / n:.4f}, Val Loss: {4 / n:.4f}" for n in range(1, 9)]
    keras2, keras3 = "2/2 [====================] - 0s 67ms/step", "2/2 ━━━━━━━━━━━━━━━━━━━━ 0s 67ms/step"
    for bar in (keras2, keras3):
        _, events = feed_lines("\n".join((*epochs, bar) * 4) + "\n")
        rows = [one for one in events if isinstance(one, Iteration)]
        assert [one.index for one in rows[-8:]] == [*range(1, 9)]
        found = recognise((*epochs, *[bar] * 40))  # a network that is asked more often than it learns
        assert found.format is not None
        assert found.format.name == "key: value"


@pytest.mark.parametrize(("row", "found"), [("step {0} loss: 2.5", "key: value"), ("seen {0}k loss: 2.5", None)])
def test_an_untitled_bar_in_front_of_many_rows_with_a_loss_loaded_data(row: str, found: str | None) -> None:
    """Whether these rows are read or not, it is no training."""
    bar = [f" {10 * n}%|{'#' * n:<10}| {n}/10 [00:0{n}<00:09,  1.00it/s]" for n in range(1, 10)]
    rows = [row.format(10 * n) for n in range(1, 31)]
    best = recognise([*bar, *rows]).format
    assert (best and best.name) == found
