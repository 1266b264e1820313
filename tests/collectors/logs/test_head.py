"""The settings of a log's head: certain together, or left out."""

import pytest

from itermon.collectors.logs.head import AGAIN_LINES, CODE_LINES, Head, settings
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Iteration, RunInfo


def said(*lines: str, counts_steps: bool = True) -> dict[str, object]:
    found = settings(list(enumerate(lines, 1)), counts_steps=counts_steps)
    return {field: value for field, (value, _) in found.items()}


def test_two_values_of_one_setting_are_none() -> None:
    assert said("world_size: 8", "num_gpus: 4") == {"gpus": 4}
    assert said("number of parameters: 5.2M", "number of parameters: 3.1M") == {}
    assert said("number of parameters: 5.2M", "number of parameters: 5.2M") == {"parameters": 5_200_000}
    assert "batch_size" not in said("train batch : 70", "number of steps_per_epochs: 70")  # it is their number


def test_the_batch_is_of_one_gpu_where_there_is_one() -> None:
    assert said("world size: 1", "batch size: 32") == {"world_size": 1, "micro_batch_size": 32}
    assert "micro_batch_size" not in said("world size: 8", "batch size: 32")
    assert "micro_batch_size" not in said("batch size: 32")
    assert "micro_batch_size" not in said("world size: 1", "batch size: 32", "gradient_accumulation_steps: 4")


def test_accumulation_is_of_one_rank_where_the_words_say_so() -> None:
    """nanoGPT divides it by the number of ranks, others do not."""
    assert "gradient_accumulation" not in said("world_size: 8", "gradient_accumulation_steps: 40")
    found = said("world_size: 8", "per_device_train_batch_size: 2", "gradient_accumulation_steps: 40")
    assert found["gradient_accumulation"] == 40


def test_a_batch_that_contradicts_the_whole_is_left_out() -> None:
    lines = ("per_device_train_batch_size: 2", "gradient_accumulation_steps: 4", "world_size: 8")
    assert said(*lines, "total batch size: 64")["micro_batch_size"] == 2
    assert "micro_batch_size" not in said(*lines, "total batch size: 32")
    assert "micro_batch_size" not in said(*lines, "tensor_model_parallel_size: 2")


def test_gpus_are_the_ranks_on_one_machine_only() -> None:
    assert said("num_gpus: 8")["world_size"] == 8
    assert "world_size" not in said("num_gpus: 8", "num_nodes: 2")
    assert said("num_gpus: 8", "num_nodes: 2", "world_size: 16")["world_size"] == 16


def test_steps_are_the_end_of_a_run_that_counts_steps() -> None:
    assert said("max_steps: 500")["max_iterations"] == 500
    assert "max_iterations" not in said("max_steps: 500", counts_steps=False)
    assert "max_iterations" not in said("max_steps: 500", "gradient_accumulation_steps: 4")
    assert "max_iterations" not in said("epochs: 30")
    assert said("epochs: 30", "steps per epoch: 40")["max_iterations"] == 1_200


def test_of_two_ends_the_one_after_all_epochs_is_it_and_one_that_contradicts_the_epochs_is_none() -> None:
    asked, each = "max_epochs=100, max_iterations=50000", "125 iterations per epoch"
    assert said(asked, f"{each}. 12500 max iterations")["max_iterations"] == 12500
    assert "max_iterations" not in said(asked, each)
    assert "max_iterations" not in said(asked, f"{each}. 13000 max iterations")
    assert said("max_iterations=12500", "max_epochs=100", each)["max_iterations"] == 12500
    assert said("max_iterations=50000", each)["max_iterations"] == 50000


def test_more_trained_parameters_than_there_are_is_nothing() -> None:
    assert said("trainable params: 9,000", "total params: 5,000") == {}


def test_a_printed_source_says_nothing() -> None:
    assert said(
        "import os", "batch_size = 8", "def run():", "    block_size = 64", "import sys", "world size: 2"
    ) == {"world_size": 2}


def test_settings_of_a_part_are_not_the_run_s() -> None:
    assert (
        said("world size: 1", "train:", "  batch_size: 8", "val:", "  batch_size: 1", "seed: 3")[
            "micro_batch_size"
        ]
        == 8
    )
    assert said('"aio": {', '  "block_size": 1048576', "}", '"world_size": 2') == {"world_size": 2}


def test_the_length_of_a_row_is_not_what_the_model_could_read_nor_what_the_longest_may_have() -> None:
    models = ['"ids": [', "7", "],", '"seq_length": 4096,', '"transformers_version": "4.50"']
    assert "block_size" not in said("QwConfig {", *models)
    assert "block_size" not in said('{"seq_length": 4096, "transformers_version": "4.50.0"}')
    assert said(*models, "sequence length: 512")["block_size"] == 512
    assert "block_size" not in said("seq_length=4096", "cutoff_len: 2048")
    assert said("seq_length=2048", "max_length: 2048", '"max_length": 20')["block_size"] == 2048
    assert "block_size" not in said("method: LoRA", "seq_len: 2048")
    assert said("method: LoRA", "seq_len: 2048", "packing: True")["block_size"] == 2048
    assert said("method: LoRA", "block_size: 2048")["block_size"] == 2048


def test_a_run_on_the_cpu_says_so_unless_a_gpu_is_named() -> None:
    assert said("device: cpu") == said("Using cpu device") == {"device": "cpu"}
    assert said("device: cpu", "GPU 0: Tesla T4") == {"gpu_name": "Tesla T4"}
    assert said("device: cpu", "device: cuda") == {}


@pytest.mark.parametrize(
    "line",
    ["GPUs: 4 devices", "Setting the accelerator to cuda", "host:1:2 NCCL INFO Init COMPLETE", "Use 2 GPUs"],
)
def test_one_word_for_the_cpu_beside_a_word_for_a_gpu_says_nothing(line: str) -> None:
    assert "device" not in said("Loader device: cpu", line)


def test_that_none_is_used_goes_before_any_word_for_a_gpu() -> None:
    assert said("4.0/8 CPUs, 0/0 GPUs", "Install a tool for GPU monitoring")["device"] == "cpu"


@pytest.mark.parametrize(
    "line", ["GPU available: False", "Could not load CUDA", "num gpus: 0", "use_cuda: False", "Found 0 GPUs"]
)
def test_that_there_is_no_gpu_does_not_speak_against_the_cpu(line: str) -> None:
    assert said("device: cpu", line)["device"] == "cpu"


LOG = "device: cuda:0 (Tesla T4)\nworld_size: 1\nbatch size: 32\n" + "".join(
    f"step {i} | loss 2.5 | dt 100ms\n" for i in range(5)
)


def configs(log: str) -> list[Config]:
    reader = LogReader()
    return [e for e in reader.feed(log.encode()) if isinstance(e, Config)]


def test_each_setting_knows_its_line() -> None:
    origins = {c.origin: c for c in configs(LOG)}
    assert origins["log line 1"].gpu_name == "Tesla T4"
    assert origins["log line 2"].world_size == 1
    assert origins["log line 3"].micro_batch_size == 32


def test_the_settings_come_before_the_first_iteration() -> None:
    events = LogReader().feed(LOG.encode())
    kinds = [type(e) for e in events]
    assert kinds.index(Config) < kinds.index(Iteration)


def test_another_process_has_a_head_of_its_own() -> None:
    again = LOG.replace("batch size: 32", "batch size: 64")
    batches = [c.micro_batch_size for c in configs(LOG + again) if c.micro_batch_size]
    assert batches == [32, 64]


def test_what_stands_between_iterations_is_no_head() -> None:
    assert not [
        c for c in configs(LOG + "batch size: 64\nstep 5 | loss 2.5 | dt 100ms\n") if c.micro_batch_size == 64
    ]


def test_what_the_format_reads_itself_is_never_overruled() -> None:
    head = Head()
    head.add(1, "max_steps: 500")
    head.add(2, "world_size: 2")
    own = Config(origin="log", max_iterations=800)
    iteration = Iteration(index=0, duration_s=1.0)
    assert head.complete([own, iteration], "step 0")[1:] == [Config(origin="log line 2", world_size=2), iteration]


def test_few_lines_are_remembered_while_a_run_goes_on() -> None:
    head = Head()
    head.complete([Iteration(index=5)], "step 5")
    for number in range(AGAIN_LINES):
        head.add(number, "nothing")
    head.add(AGAIN_LINES, "world_size: 2")
    assert [type(e) for e in head.complete([RunInfo(), Iteration(index=0)], "step 0")] == [RunInfo, Iteration]


PARTS = "per_device_train_batch_size: 2"
STEPS = "gradient_accumulation_steps: {}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # whose number of GPUs the ranks are
        (("num_gpus: 8", "num_nodes: 1"), {"gpus": 8, "nodes": 1, "world_size": 8}),
        (("num_gpus: 8", "num_nodes: 1", "num_nodes: 2"), {"gpus": 8}),
        (("num_gpus: 8", "world_size: 8"), {"gpus": 8, "world_size": 8}),
        (("num_gpus: 8", "world_size: 8", "world_size: 4"), {"gpus": 8}),
        (("num_gpus: 8", "num_gpus: 4", "world_size: 8"), {}),
        (("num_gpus: 8", "num_gpus: 4", "num_nodes: 2", "world_size: 8"), {"nodes": 2, "world_size": 8}),
        # whose batch it is
        (("world size: 1", "batch size: 32", STEPS.format(1)),
         {"world_size": 1, "micro_batch_size": 32, "gradient_accumulation": 1}),
        (("world size: 1", "batch size: 32", STEPS.format(1), STEPS.format(2)),
         {"world_size": 1, "batch_size": 32}),
        (("world size: 1", "batch size: 32", PARTS), {"world_size": 1, "batch_size": 32, "micro_batch_size": 2}),
        (("world size: 1", STEPS.format(4)), {"world_size": 1, "gradient_accumulation": 4}),
        ((STEPS.format(4),), {}),
        (("world size: 2", STEPS.format(1)), {"world_size": 2}),
        # parts of a batch and the whole
        ((PARTS, STEPS.format(4), "world_size: 8", "total batch size: 64", "pipeline_model_parallel_size: 1"),
         {"micro_batch_size": 2, "gradient_accumulation": 4, "world_size": 8, "global_batch_size": 64,
          "split_model": 1}),
        ((PARTS, STEPS.format(4), "total batch size: 64"),
         {"micro_batch_size": 2, "gradient_accumulation": 4, "global_batch_size": 64}),
        ((PARTS, "tensor_model_parallel_size: 1", "tensor_model_parallel_size: 2"), {}),
        # the end
        (("max_steps: 500", STEPS.format(1), "world size: 1"),
         {"max_iterations": 500, "gradient_accumulation": 1, "world_size": 1}),
        (("max_steps: 500", STEPS.format(2), STEPS.format(4)), {}),
        (("max_steps: 500", "max_steps: 600"), {}),
        (("max_steps: 500", "max_steps: 600", "epochs: 3", "steps per epoch: 200"),
         {"epochs": 3, "steps_per_epoch": 200, "max_iterations": 600}),
        (("epochs: 3", "steps per epoch: 200", STEPS.format(2), "world size: 1"),
         {"epochs": 3, "steps_per_epoch": 200, "gradient_accumulation": 2, "world_size": 1}),
        # parameters
        (("trainable params: 5,000", "total params: 5,000"), {"trained_parameters": 5_000, "parameters": 5_000}),
        (("trainable params: 5,000",), {"trained_parameters": 5_000}),
        (("trainable params: 5", "total params: 7", "total params: 9"), {}),
        # the device
        (("device: cpu", "world_size: 4"), {"device": "cpu"}),
        (("device: cuda", "world_size: 4"), {"device": "cuda", "world_size": 4}),
        # what several GPUs are called
        (("GPU 0: Tesla T4", "GPU 1: TITAN Xp", "GPU 2: Tesla T4"), {"gpu_names": "Tesla T4, TITAN Xp"}),
    ],
)  # fmt: skip
def test_what_settings_mean_beside_each_other(lines: tuple[str, ...], expected: dict[str, object]) -> None:
    assert said(*lines) == expected


@pytest.mark.parametrize(("more", "kept"), [(-1, True), (0, False)])
def test_few_lines_of_source_are_a_warning_and_more_are_the_program(more: int, kept: bool) -> None:
    code = ["import os"] * (CODE_LINES + more)
    found = said("world size: 2", code[0], "num_nodes: 1", *code[1:], "num_gpus: 2")
    assert found.keys() == {"world_size", "gpus"} | ({"nodes"} if kept else set())


def test_a_part_ends_where_a_line_stands_as_far_out_as_its_name() -> None:
    assert said("  val:", "    world_size: 4", "  world_size: 2") == {"world_size": 2}
    assert said("  val:", "", "    world_size: 4", "     world_size: 2") == {}
    assert said("TEST:", "  world_size: 4", "SEED: 3") == {}
    assert said("val:", "world_size: 2") == {"world_size": 2}
    assert said("  val:", "world_size: 2") == {"world_size": 2}


@pytest.mark.parametrize(("lines", "known"), [(3_999, True), (4_000, False)])
def test_a_head_has_four_thousand_lines(lines: int, known: bool) -> None:
    head = Head()
    for number in range(1, lines + 1):
        head.add(number, "nothing")
    head.add(lines + 1, "world_size: 2")
    assert bool(head.before_iteration("step 0")) is known


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Epoch 3 - Loss: 0.5", {"epochs": 9, "max_iterations": 9, "micro_batch_size": 4}),
        ("Epoch 3 batch 40 loss: 0.5", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),
        ("Epoch 3 [20/90] [4/5] loss: 0.5", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),
        ("Epoch 3: [ 20/ 90] loss: 0.5", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),
        ("{'loss': 0.5, 'epoch': 3.02}", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),
        ("Epoch 4 - Loss: 0.5", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),  # counted anew
        ("loss: 0.5", {"epochs": 9, "micro_batch_size": 4, "gradient_accumulation": 8}),
    ],
)
def test_where_each_row_is_an_epoch_they_are_the_end_and_a_step_is_no_part_of_it(
    row: str, expected: dict[str, object]
) -> None:
    head = Head()
    for number, line in enumerate(
        ("epochs: 9", "micro_batch_size: 4", "gradient_accumulation_steps: 8", "world_size: 1"), 1
    ):
        head.add(number, line)
    fields = ("max_iterations", "micro_batch_size", "gradient_accumulation")
    found = [event for event in head.complete([Iteration(index=3)], row) if isinstance(event, Config)]
    said = {field: value for one in found for field in fields if (value := getattr(one, field)) is not None}
    said["epochs"] = int(found[-1].extra["epochs"])
    assert said == expected


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("epochs: 9\n" + "".join(f"Epoch {n}\nTrain Loss: 0.{n}25\nscore: 0.5\n" for n in range(1, 7)), [9]),
        ("epochs: 9\n" + "".join(f"[Epoch 00{n}] loss=0.{n}25 step_time=0.5 (min=0.25)\n" for n in range(7)), [9]),
        ("".join(f"[Epoch 00{n}] loss=0.{n}25 step_time=0.5\n" for n in range(7)), []),
        ("epochs: 4\n" + "".join(f"[Epoch 00{n}] loss=0.{n}25 step_time=0.5\n" for n in range(5, 9)), []),
        ("epochs: 9\n" + "".join(f"[Epoch 00{n}] step={n} loss=0.{n}25 step_time=0.5\n" for n in range(7)), []),
        ("epochs: 9\n" + "".join(f"[Epoch 00{n // 4 + 1}] loss=0.{n}25 step_time=0.5\n" for n in range(9)), []),
        ("Total Epoch:9\n" + "".join(f"[train] epoch:{n} iter:0/18 loss:0.{n}25\n" for n in range(4)), [162]),
        ("epochs: 9\n" + "".join(f"epoch {n // 2}, batch {n % 2}/2, loss: 0.{n}25\n" for n in range(8)), [18]),
        ("epochs: 9\n" + "".join(f"epoch {n // 4 + 1} step {n * 5}/90 loss: 0.{n}25\n" for n in range(9)), [90]),
        ("epochs: 9\n" + "".join(f"epoch {n // 4 + 1} step {n % 4} loss: 0.{n}25\n" for n in range(9)), []),
    ],
)
def test_the_epochs_are_the_end_once_rows_have_shown_of_how_many_iterations_each_is(
    log: str, said: list[int]
) -> None:
    reader = LogReader()
    events = [*reader.feed(log.encode()), *reader.end(b"")]
    assert [one.max_iterations for one in events if isinstance(one, Config) and one.max_iterations] == said


@pytest.mark.parametrize(("title", "said"), [("Epoch {}: ", [360]), ("", [40, 360])])
def test_the_length_of_bars_that_come_with_each_epoch_tells_it_too(title: str, said: list[int]) -> None:
    frame = "{}%|###  | {}/40 [00:{:02}<00:09,  1.00it/s, loss=2.5]\n"
    bars = (title.format(n // 8) + frame.format(n % 8 * 10 + 30, n % 8 * 5 + 5, n % 8 * 5 + 5) for n in range(24))
    reader = LogReader()
    events = [*reader.feed(("epochs: 9\n" + "".join(bars)).encode()), *reader.end(b"")]
    assert [one.max_iterations for one in events if isinstance(one, Config) and one.max_iterations] == said


def heads(*parts: str | tuple[int, str]) -> list[object]:
    """World sizes and GPU names, by what is said before each row; a number: where a process began."""
    head, found = Head(), []
    for number, part in enumerate(parts, 1):
        if part == "row":
            found += head.complete([RunInfo(), Iteration(index=number)], "step 1")
        elif part == "goes on":
            found += head.complete([Iteration(index=number)], "step 1")
        elif isinstance(part, tuple):
            head.add(number, part[1], part[0])
        else:
            head.add(number, part)
    return [event.world_size or event.gpu_name for event in found if isinstance(event, Config)]


def test_the_head_begins_with_the_newest_process_and_the_first_may_have_begun_a_little_earlier() -> None:
    assert heads("world_size: 2", "row", "world_size: 4", (4, "odd"), "row") == [2, 4]
    assert heads("world_size: 2", "row", (3, "odd"), "world_size: 4", (5, "odd"), "world_size: 8", "row") == [2, 8]
    died = ["nothing"] * AGAIN_LINES
    assert heads("row", (2, "odd"), *died, (AGAIN_LINES + 3, "odd"), "world_size: 8", "row") == [8]
    assert heads("row", *died, (AGAIN_LINES + 2, "odd"), "world_size: 8", "row") == [8]


def test_a_gpu_may_be_named_between_the_first_rows_where_the_head_names_none() -> None:
    gpu = "GPU 0 (Tesla T4): 5 GiB free"
    assert heads("row", gpu, "world_size: 4", "goes on", "GPU 0: TITAN Xp", "goes on") == ["Tesla T4"]
    assert heads("GPU 0: TITAN Xp", "row", gpu, "goes on") == ["TITAN Xp"]
    assert heads("row", *["odd"] * AGAIN_LINES, "goes on", gpu, "goes on") == []
    assert heads(*["odd"] * (AGAIN_LINES + 9), "row", gpu, "goes on") == ["Tesla T4"]  # after a long head


@pytest.mark.parametrize("row", ["Epoch {e} .. train loss 0.{n}", "Epoch {e}/2 .. train loss 0.{n}"])
def test_of_rows_that_are_counted_the_number_of_epochs_is_no_end(row: str) -> None:
    rows = "".join(row.format(e=1 + n // 45, n=n) + "\n" for n in range(10, 80))
    events = LogReader().feed(f"python train.py --epochs=2 --lr 0.5\n{rows}".encode())
    assert sum(isinstance(one, Iteration) for one in events) == 70
    assert {one.max_iterations for one in events if isinstance(one, Config)} <= {None}
