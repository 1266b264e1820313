"""Megatron's tokens: of the global batch, whatever the parallelism."""

import pytest

from itermon.collectors.log_formats.frameworks.pretraining.megatron import MegatronLm, MegatronUnstamped
from itermon.events import Config, Iteration, SpanEnd

ARGUMENT = "  seq_length ............................. 1024"
LINE = " iteration        {}/    1000 | consumed samples: 1024 | elapsed time per iteration (ms): 144915.6 |{}"


def tokens(*lines: str) -> list[int | None]:
    parser = MegatronUnstamped()
    events = [event for line in lines for event in parser.line(line, None)]
    return [event.tokens for event in events if isinstance(event, Iteration)]


def test_tokens_are_the_global_batch_times_the_sequence_length() -> None:
    batch = " global batch size:  {} | lm loss: 9.0 |"
    grows = [LINE.format(i, batch.format(size)) for i, size in ((1, 16), (2, 32))]
    assert tokens(ARGUMENT, *grows) == [16 * 1024, 32 * 1024]


def test_without_one_of_the_two_they_are_unknown() -> None:
    assert tokens(LINE.format(1, " global batch size:  16 | lm loss: 9.0 |")) == [None]
    assert tokens(ARGUMENT, LINE.format(1, " lm loss: 9.0 |")) == [None]


@pytest.mark.parametrize(
    ("printed", "field", "value"),
    [
        ("elapsed time per iteration (ms): 5444.9", "duration_s", 5.4449),
        ("elapsed time per iteration (s): 5.25", "duration_s", 5.25),
        ("lm loss: 1.82E+00", "loss", 1.82),
        ("lm_loss: 8.9", "loss", 8.9),
        ("loss: 8.9", "loss", 8.9),
        ("grad norm: 1.4", "gradient_norm", 1.4),
        ("grad_norm: 1.4", "gradient_norm", 1.4),
        ("learning rate: 8.6E-06", "learning_rate", 8.6e-6),
        ("lr: 8.6E-06", "learning_rate", 8.6e-6),
    ],
)
def test_each_version_has_its_own_words(printed: str, field: str, value: float) -> None:
    (event,) = MegatronUnstamped().line(f" iteration 7/ 100 | elapsed: 0 | {printed} |", None)[-1:]
    assert isinstance(event, Iteration)
    assert getattr(event, field) == pytest.approx(value)
    (event,) = MegatronUnstamped().line(
        "iteration=  7/ 100 | consumed_samples=7680 | elapsed_time_per_iteration_ms=5444.9 | "
        "lm_loss=8.9 | learning_rate=0.5 | ",
        None,
    )[-1:]
    assert isinstance(event, Iteration)
    assert (event.duration_s, event.loss, event.learning_rate) == (pytest.approx(5.4449), 8.9, 0.5)


@pytest.mark.parametrize(
    ("argument", "field"),
    [
        ("micro_batch_size", "micro_batch_size"),
        ("seq_length", "block_size"),
        ("world_size", "world_size"),
        ("num_attention_heads", "heads"),
        ("padded_vocab_size", "vocabulary"),
        ("train_iters", "max_iterations"),
        ("eval_interval", "evaluation_interval"),
        ("eval_iters", "evaluation_iterations"),
        ("save_interval", "checkpoint_interval"),
        ("log_interval", "log_interval"),
    ],
)
def test_the_arguments_that_it_prints_are_settings(argument: str, field: str) -> None:
    (event,) = MegatronUnstamped().line(f"  {argument} ............................. 1024", None)[-1:]
    assert isinstance(event, Config)
    assert getattr(event, field) == 1024


@pytest.mark.parametrize("parser", [MegatronLm, MegatronUnstamped])
def test_both_read_evaluations_and_checkpoints(parser: type[MegatronLm | MegatronUnstamped]) -> None:
    reader = parser()
    lines = (
        " validation loss at iteration 20 | lm loss value: 7.250000E+00 | lm loss PPL: 1.4E+03 |",
        "  successfully saved checkpoint at iteration      20 to checkpoints",
    )
    found = [event for line in lines for event in reader.line(line, None) if isinstance(event, SpanEnd)]
    assert [(one.kind, one.iteration, one.values) for one in found] == [
        ("evaluation", 20, {"val_loss": 7.25}),
        ("checkpoint", 20, {}),
    ]


@pytest.mark.parametrize(
    ("result", "values"),
    [
        ("number correct: 2.5000E+02 | total examples: 5.0000E+02 | avg accuracy: 5.0000E-01", {"accuracy": 0.5}),
        (
            "avg loss: 3.2500E+00 | ppl: 2.5790E+01 | adjusted ppl: 3.1000E+01 | token ratio: 1.1",
            {"val_loss": 3.25},
        ),
    ],
)
def test_the_result_of_a_task_is_an_evaluation(result: str, values: dict[str, float]) -> None:
    parser = MegatronUnstamped()
    parser.line(LINE.format(1, " lm loss: 9.0 |"), None)
    (end,) = parser.line(f" validation results on WIKI | {result}", None)
    assert isinstance(end, SpanEnd)
    assert (end.values, end.iteration) == (values, 2)


@pytest.mark.parametrize(
    ("sizes", "found"), [(("1", "1"), [2500]), (("2", "1"), []), (("1", "4"), []), (("1",), []), ((), [])]
)
def test_the_parameters_of_a_rank_are_those_of_the_model_where_it_has_them_all(
    sizes: tuple[str, ...], found: list[int]
) -> None:
    parser = MegatronUnstamped()
    for way, size in zip(("tensor", "pipeline"), sizes, strict=False):
        parser.line(f"  {way}_model_parallel_size ....................... {size}", None)
    said = parser.line(" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 2500", None)
    assert [one.parameters for one in said if isinstance(one, Config)] == found


GPT = {"num_layers": "4", "hidden_size": "256", "ffn_hidden_size": "1024", "num_attention_heads": "8"}


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ({}, [(4, 256)]),
        ({"swiglu": "False", "num_experts": "None", "group_query_attention": "False"}, [(4, 256)]),
        ({"swiglu": "True"}, []),
        ({"num_experts": "8"}, []),
        ({"ffn_hidden_size": "2048"}, []),
        ({"num_key_value_heads": "2"}, []),
        ({"num_key_value_heads": "8"}, [(4, 256)]),
        ({"group_query_attention": "True"}, []),
    ],
)
def test_layers_and_width_are_told_where_they_make_the_model(
    other: dict[str, str], found: list[tuple[int, int]]
) -> None:
    parser = MegatronUnstamped()
    for argument, value in {**GPT, **other}.items():
        parser.line(f"  {argument} ............................. {value}", None)
    rows = [event for n in (1, 2) for event in parser.line(LINE.format(n, " lm loss: 9.0 |"), None)]
    told = [(one.layers, one.embedding) for one in rows if isinstance(one, Config)]
    assert [one for one in told if any(one)] == found


def test_another_model_of_a_counted_size_has_its_layers() -> None:
    parser = MegatronUnstamped()
    for argument, value in {
        **GPT,
        "swiglu": "True",
        "tensor_model_parallel_size": "1",
        "pipeline_model_parallel_size": "1",
    }.items():
        parser.line(f"  {argument} ............................. {value}", None)
    parser.line(" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 2500", None)
    told = [one for one in parser.line(LINE.format(1, " lm loss: 9.0 |"), None) if isinstance(one, Config)]
    assert [(one.layers, one.embedding) for one in told if one.layers] == [(4, 256)]


@pytest.mark.parametrize(("timer", "took_s"), [("(2000.25, 2300.50)", 2.3005), ("2300.50", 2.3005)])
def test_the_timer_s_line_above_tells_how_long_an_evaluation_took(timer: str, took_s: float) -> None:
    """The slowest rank's: the others wait for it."""
    timed = f"    evaluate .......................................: {timer}"
    result = " validation loss at iteration 20 | lm loss value: 2.5E+00 | lm loss PPL: 1.2E+01 |"
    parser = MegatronLm()
    ends = [one for text in (timed, result, result) for one in parser.line(text, None) if isinstance(one, SpanEnd)]
    assert [one.duration_s for one in ends] == [pytest.approx(took_s), None], "it is of one evaluation"
    assert [one.values["val_loss"] for one in ends] == [2.5, 2.5]
