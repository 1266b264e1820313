"""`trainer_state.json`: indented or on one line, read as a whole."""

import json

from itermon.collectors.log_formats.frameworks.trainers.hf_trainer_state import HfTrainerState
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, End, Event, Iteration, Message, RunInfo, SpanEnd

STATE = {
    "best_metric": None,
    "global_step": 30,
    "is_world_process_zero": True,
    "log_history": [
        {"epoch": 0.1, "grad_norm": 0.5, "learning_rate": 1e-4, "loss": 3.5, "step": 10},
        {"epoch": 0.1, "eval_loss": 3.25, "eval_runtime": 2.5, "eval_samples_per_second": 9.0, "step": 10},
        {"epoch": 0.2, "loss": float("nan"), "step": 20, "extra": {"a": [1, 2]}, "flag": True},
        {"epoch": 0.3, "loss": "1.5", "step": 30},
        {"epoch": 0.3, "step": 30, "train_loss": 2.5, "train_runtime": 120.5},
    ],
    "max_steps": 30,
    "stateful_callbacks": {"TrainerControl": {"args": {"should_log": False}}},
}


def summary(text):
    reader = LogReader()
    end = text.endswith("\n")
    events = [*(reader.feed(text.encode()) if end else []), *reader.end(b"" if end else text.encode())]
    assert reader.format.name == "Hugging Face trainer_state.json"
    steps = [(e.index, e.loss, e.bad_loss, e.gradient_norm) for e in events if isinstance(e, Iteration)]
    evaluations = [(e.iteration, e.duration_s, e.values) for e in events if isinstance(e, SpanEnd)]
    totals = [e.max_iterations for e in events if isinstance(e, Config)]
    ends = [e.detail for e in events if isinstance(e, End)]
    return steps, evaluations, totals, ends


EXPECTED = (
    [(10, 3.5, "", 0.5), (20, None, "nan", None), (30, 1.5, "", None)],
    [(10, 2.5, {"val_loss": 3.25, "eval_runtime": 2.5})],
    [30],
    ["2 m 00 s in all"],
)


def test_it_is_read_however_it_is_indented():
    for indent in (2, 4, 1):
        assert summary(json.dumps(STATE, indent=indent, sort_keys=True) + "\n") == EXPECTED


def test_on_one_line_it_says_the_same_with_a_newline_or_without():
    for text in (json.dumps(STATE), json.dumps(STATE, sort_keys=True, separators=(",", ":"))):
        assert summary(text + "\n") == EXPECTED
        assert summary(text) == EXPECTED


def test_a_line_longer_than_any_log_line_is_read():
    history = [{"loss": 2.5, "step": n, "epoch": n / 100} for n in range(1, 5001)]
    text = json.dumps({"log_history": history, "max_steps": 5000})
    assert len(text) > 2 * 65_536
    steps, _, totals, _ = summary(text + "\n")
    assert ([index for index, *_ in steps], totals) == ([*range(1, 5001)], [5000])


def read_to_its_end(text: str) -> list[Event]:
    parser = HfTrainerState()
    return [*(e for line in text.splitlines() for e in parser.line(line, None)), *parser.release()]


def test_a_file_that_is_not_whole_says_at_its_end_what_was_whole_of_its_history():
    whole = json.dumps(STATE, indent=2)
    for cut in range(len(whole) - 1):
        events = read_to_its_end(whole[:cut])
        steps = [e.index for e in events if isinstance(e, Iteration)]
        ends = {10: '"step": 10\n    }', 20: '"flag": true\n    }', 30: '"step": 30\n    }'}
        assert steps == [n for n, end in ends.items() if end in whole[:cut]]
        assert [e.max_iterations for e in events if isinstance(e, Config)] == [30] * (
            '"max_steps": 30,' in whole[:cut]
        )
        assert [type(e) for e in events[-1:]] == [Message] * bool(events)


def test_what_is_no_history_says_nothing_however_it_is_cut_off():
    assert read_to_its_end('{\n"log_history": [\n' + '{"a": {\n' * 40) == []
    assert read_to_its_end('{\n"max_steps": 30,\n"a": {}\n') == []


def test_a_file_without_bound_is_not_kept(monkeypatch):
    module = "itermon.collectors.log_formats.frameworks.trainers.hf_trainer_state._MOST_CHARACTERS"
    monkeypatch.setattr(module, 500)
    events = LogReader().feed((json.dumps(STATE, indent=2) + "\n").encode())
    assert [e.text for e in events if isinstance(e, Message)] == ["more than 500 characters: not read"]


def test_what_is_no_object_is_given_up_at_its_end():
    parser = HfTrainerState()
    for line in ('{"log_history": [', "}", '{"log_history": }'):
        assert list(parser.line(line, None)) == []
    events = parser.line(json.dumps(STATE), None)
    assert [e.index for e in events if isinstance(e, Iteration)] == [10, 20, 30]


SHORT = {"log_history": [{"loss": 1.0, "step": 10}], "max_steps": 30}


def parsed(*states, **dump):
    parser = HfTrainerState()
    return [
        e for state in states for line in json.dumps(state, **dump).split("\n") for e in parser.line(line, None)
    ]


def test_two_objects_after_each_other_are_one_run():
    events = parsed(SHORT, SHORT)
    assert len([e for e in events if isinstance(e, RunInfo)]) == 1
    assert isinstance(events[0], RunInfo)


def test_an_entry_without_a_step_or_a_known_name_says_nothing_and_a_run_of_no_time_took_none():
    history = [{"loss": 1.0}, {"step": 5, "other": 1.0}, {"step": 7, "train_runtime": float("nan")}, 7]
    events = parsed({"log_history": history, "max_steps": 0})
    assert [e for e in events if isinstance(e, Iteration | SpanEnd)] == []
    assert len([e for e in events if isinstance(e, End)]) == 1
    assert parsed({"log_history": 7}) == []


def test_what_may_be_kept_is_kept_up_to_its_last_character(monkeypatch):
    module = "itermon.collectors.log_formats.frameworks.trainers.hf_trainer_state._MOST_CHARACTERS"
    text = json.dumps(SHORT)
    for most, messages in ((len(text), 0), (len(text) - 1, 1)):
        monkeypatch.setattr(module, most)
        parser = HfTrainerState()
        for _ in range(2):  # the second is counted anew
            events = parser.line(text, None)
            assert len([e for e in events if isinstance(e, Message)]) == messages


def test_only_a_text_of_more_than_eight_lines_is_reported_as_no_json():
    for lines, messages in ((8, 0), (9, 1)):
        parser = HfTrainerState()
        events = [e for line in ["{", *["x"] * (lines - 2), "}"] for e in parser.line(line, None)]
        assert len([e for e in events if isinstance(e, Message)]) == messages
    parser = HfTrainerState()
    events = [e for line in [" {", *["x"] * 9, "}"] for e in parser.line(line, None)]
    assert events == []


def test_an_evaluation_after_the_end_of_the_training_is_of_that_training() -> None:
    log = """{"log_history": [
{"loss": 2.5, "step": 10},
{"train_runtime": 60.0, "step": 10},
{"eval_loss": 2.25, "eval_runtime": 2.5, "step": 10}
], "max_steps": 10
}"""
    parser = HfTrainerState()
    events = [event for line in log.splitlines() for event in parser.line(line, None)]
    kinds = [type(one).__name__ for one in events if isinstance(one, SpanEnd | End)]
    assert kinds == ["SpanEnd", "End"]


def test_an_entry_is_the_mean_of_all_steps_since_the_one_before_it():
    reader = LogReader()
    events = reader.feed((json.dumps(STATE) + "\n").encode())
    assert [e.averaged_over for e in events if isinstance(e, Iteration)] == [10, 10, 10]


def test_an_entry_that_is_printed_over_several_lines_has_the_values_before_its_step():
    text = """[{'loss': 2.5,
  'learning_rate': 0.001,
  'epoch': 0.5,
  'step': 10},
 {'loss': 1.5,
  'learning_rate': 0.0005,
  'epoch': 1.0,
  'step': 20},
 {'loss': 1.25,
  'learning_rate': 0.0001,
  'step': 30,
  'epoch': 1.5},
 {'train_runtime': 60.5,
  'train_loss': 1.75,
  'epoch': 1.5,
  'step': 31}]
"""
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert reader.format.name == "Hugging Face log_history"
    rows = [(e.index, e.loss, e.learning_rate) for e in events if isinstance(e, Iteration)]
    assert rows == [(10, 2.5, 0.001), (20, 1.5, 0.0005), (30, 1.25, 0.0001)]
    assert [e.reason for e in events if isinstance(e, End)] == ["finished"]


def test_the_mean_loss_of_the_run_is_no_row_in_json_either():
    entries = [{"loss": 3.0 - n / 10, "step": 10 * n} for n in range(1, 13)]
    summary = {"train_runtime": 60.5, "train_loss": 2.75, "epoch": 1.0, "step": 121}
    for text in (json.dumps([*entries, summary], indent=2), "\n".join(map(json.dumps, [*entries, summary]))):
        reader = LogReader()
        events = [*reader.feed(text.encode() + b"\n"), *reader.end(b"")]
        assert [e.loss for e in events if isinstance(e, Iteration)][-1] == 1.8, reader.format
        assert any(isinstance(e, End) for e in events)
