"""Megatron-LM, Megatron-DeepSpeed and GPT-NeoX: `key: value |` lines that grew with every version.

     [2024-04-06 02:59:36] iteration       43/     100 | consumed samples: 5504 | elapsed time per iteration (ms): 5444.9
      | throughput per GPU (TFLOP/s/GPU): 239.8 | learning rate: 8.6E-06 | lm loss: 1.82E+00 | grad norm: 1.4 | ...
`elapsed time per iteration`, in ms or (bigscience) in s, is the mean over the iterations since the last line. Current
Megatron-LM stops that timer during evaluation and saving. Older forks (2021-22, GPT-NeoX) do not: the window after an
evaluation or a checkpoint has it inside. They are distinguished by the time stamp in front, which only current ones print.
Current versions print the first iteration too, and do not reset the timer then: the first regular window repeats it.
The last rank prints, so torchrun's prefix is often `[default7]:`. `lm loss` is absent where all iterations were skipped.

GPT-NeoX: ` samples/sec: 187.5 | iteration 10/ 32000 | elapsed time per iteration (ms): 5460.1 | ... | lm_loss: 8.9 |`.
Argonne's fork: `iteration=  10/ 100 | consumed_samples=7680 | elapsed_time_per_iteration_ms=5444.9 | ...`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import CHECKPOINT, EVALUATION
from ...base import Example
from ...families.pairs import numbers
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import finite, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_FIELDS = {
    "elapsed time per iteration (ms)": ("duration_s", 1e-3),
    "elapsed time per iteration (s)": ("duration_s", 1.0),
    "elapsed_time_per_iteration_ms": ("duration_s", 1e-3),
    "elapsed_ms_per_iteration": ("duration_s", 1e-3),
    "lm loss": ("loss", 1.0),
    "lm_loss": ("loss", 1.0),
    "loss": ("loss", 1.0),
    "grad norm": ("gradient_norm", 1.0),
    "grad_norm": ("gradient_norm", 1.0),
    "learning rate": ("learning_rate", 1.0),
    "learning_rate": ("learning_rate", 1.0),
    "lr": ("learning_rate", 1.0),
}
_UNDERSTOOD = frozenset((*_FIELDS, "current time", "number of skipped iterations", "number of nan iterations"))

_SETTINGS = {
    "micro_batch_size": "micro_batch_size",
    "seq_length": "block_size",
    "world_size": "world_size",
    "num_layers": "layers",
    "num_attention_heads": "heads",
    "hidden_size": "embedding",
    "padded_vocab_size": "vocabulary",
    "train_iters": "max_iterations",
    "eval_interval": "evaluation_interval",
    "eval_iters": "evaluation_iterations",
    "save_interval": "checkpoint_interval",
    "log_interval": "log_interval",
}

_SHAPE = frozenset(("layers", "embedding"))
"""What the FLOPs of a GPT-2 follow from: told once all arguments are read, as others make another model of it."""

_OTHER_SHAPES = {
    "swiglu": ("False",),
    "glu_activation": ("None",),
    "num_experts": ("None", "1", "[1]"),
    "group_query_attention": ("False",),
    "multi_latent_attention": ("False",),
    "hybrid_override_pattern": ("None",),
}
"""Arguments of another model than a GPT-2's, each with the values that leave it one."""

_DIVIDES = ("tensor_model_parallel_size", "pipeline_model_parallel_size")


class _Megatron(LineParser):
    mean = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("| elapsed", r"iteration +(?P<iteration>\d+)/ *(?P<total>\d+) \|(?P<rest>.*)$", "step"),
        Line("iteration=", r"iteration= *(?P<iteration>\d+)/ *(?P<total>\d+) \|(?P<rest>.*)$", "argonne"),
        Line("lm loss value:", r"validation.* at (?:iteration )?(?P<iteration>\d*).*?\| lm loss value: (?P<val_loss>N)",
             "evaluation"),
        Line("validation results on", r"validation results on \S{1,40} \| (?:number correct: \S{1,20} \| total examples: \S{1,20}"
             r" \| avg accuracy: (?P<accuracy>N)|avg loss: (?P<val_loss>N))", "evaluation"),
        Line("model parallel rank", r"number of parameters on \(tensor, pipeline\) model parallel rank \(0, 0\): (?P<parameters>\d+)$",
             "size_of_a_part", distinctive=False),
        Line("saving checkpoint at", r"^ *(?:\[[^\]]*\] ?:? *)?saving checkpoint at iteration +(?P<iteration>\d+)",
             "checkpoint"),
        Line("successfully saved checkpoint", r"successfully saved checkpoint at iteration +(?P<iteration>\d+)",
             "checkpoint_written"),
        Line("evaluate ...", r"^ *(?:\[[^\]]*\] ?:? *)?evaluate \.{2,}: (?:\((?P<least_ms>N), (?P<each_ms>N)\)|(?P<most_ms>N))$",
             "timed", distinctive=False),
        Line("time (ms)", r"time \(ms\)(?: \||$)", "known", distinctive=False),
        Line(" ..", r"^ *(?:\[[^\]]*\]:?)? +(?P<name>[a-z_]+) \.{2,} (?P<detail>\S+)", "setting"),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._sequence: float | None = None  # its length in tokens
        self._parts: dict[str, str] = {}  # into how many the model is divided, each way
        self._said: dict[str, str] = {}  # arguments that the shape of the model follows from
        self._is_counted = False  # is the number of its parameters told?
        self._evaluated_s: float | None = None  # by a line above the one that tells what the evaluation found

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """`key: value |` after the iteration's number."""
        return self._step(fields, numbers(fields.pop("rest")), line)

    @handler(iterations=True, texts=("rest",))
    def argonne(self, fields: Fields, line: LogLine) -> list[Event]:
        """`key=value |` after the iteration's number."""
        return self._step(fields, numbers(fields.pop("rest"), inside="="), line)

    @handler(numbers=("least_ms", "each_ms", "most_ms"))
    def timed(self, fields: Fields, _line: LogLine) -> list[Event]:
        """`evaluate .....: (2100.25, 2300.50)`, ms of the quickest and of the slowest rank, for which the others wait."""
        each_ms = finite(fields.get("each_ms", fields.get("most_ms")))
        self._evaluated_s = None if each_ms is None else each_ms / 1000
        return []

    @handler()
    def evaluation(self, fields: Fields, line: LogLine) -> list[Event]:
        """What an evaluation found: how long it took was said above."""
        took_s, self._evaluated_s = self._evaluated_s, None
        return super().evaluation(fields if took_s is None else fields | {"duration_s": took_s}, line)

    @handler(texts=("name", "detail"))
    def setting(self, fields: Fields, line: LogLine) -> list[Event]:
        """One of the arguments printed at the start: `  micro_batch_size ................ 4`."""
        name = _SETTINGS.get(fields["name"])
        value = fields["detail"]
        if fields["name"] in _DIVIDES:
            self._parts[fields["name"]] = value
        if name == "block_size" and value.isdigit():
            self._sequence = float(value)
        self._said[fields["name"]] = value
        if name in _SHAPE:
            return []
        return self.config({name: float(value)}, line) if name and value.isdigit() else []

    @handler()
    def size_of_a_part(self, fields: Fields, line: LogLine) -> list[Event]:
        """The parameters of the first rank: all there are, where the model is not divided."""
        whole = [self._parts.get(way) for way in _DIVIDES] == ["1"] * len(_DIVIDES)
        if not whole or not self._has("num_experts"):  # a token passes through a few of the experts
            return []
        self._is_counted = True
        return self.config(fields, line)

    def _has(self, argument: str) -> bool:
        """Has the argument a value of a GPT-2, or none?"""
        return self._said.get(argument, _OTHER_SHAPES[argument][0]) in _OTHER_SHAPES[argument]

    def _shape(self, line: LogLine) -> list[Event]:
        """Layers and width, at the first row; not where they alone would give another model than it is."""
        said = self._said
        keys = [key for key in ("num_layers", "hidden_size") if said.get(key, "").isdigit()]
        found: Fields = {_SETTINGS[key]: float(said[key]) for key in keys}
        width, wide, heads = (
            said.get(key, "") for key in ("hidden_size", "ffn_hidden_size", "num_attention_heads")
        )
        is_plain = all(map(self._has, _OTHER_SHAPES)) and said.get("num_key_value_heads", heads) in (heads, "None")
        is_plain = is_plain and (not wide.isdigit() or not width.isdigit() or int(wide) == 4 * int(width))
        self._said = {}
        return self.config(found, line) if found and (is_plain or self._is_counted) else []

    def _step(self, fields: Fields, read: dict[str, float], line: LogLine) -> list[Event]:
        shape, self._evaluated_s = self._shape(line) if self._said else [], None
        if "current time" in read:  # some forks; Unix time
            line = line.at(read["current time"])
        for key, (field, factor) in _FIELDS.items():
            if key in read:
                fields[field] = read[key] * factor
        if self._sequence is not None and "global batch size" in read:
            fields["tokens"] = read["global batch size"] * self._sequence  # of all data-parallel replicas
        fields["scalars"] = scalars(read.items(), _UNDERSTOOD)
        return [*shape, *self.iteration(fields, line)]


class MegatronLm(_Megatron):
    """Current Megatron-LM: the timer stands still during evaluation and saving."""

    name = "Megatron-LM"
    reads_instead_of = ("Megatron",)  # whose lines have no time stamp, or one before a launcher's prefix
    about = "elapsed time per iteration: a mean over log_interval, without evaluation and checkpoint"
    lines = (
        Line("| elapsed", r"\[\d{4}-[^\]]+\] +iteration +(?P<iteration>\d+)/ *(?P<total>\d+) \|(?P<rest>.*)$", "step"),
        *_Megatron.lines[2:],
    )  # fmt: skip
    examples = (
        Example(
            """
 [2024-04-06 02:59:00] iteration        1/     100 | consumed samples: 128 | elapsed time per iteration (ms): 30000.0 | learning rate: 2.0E-07 | lm loss: 9.0E+00 | grad norm: 1.4 | number of nan iterations:   0 |
 [2024-04-06 02:59:36] iteration       10/     100 | consumed samples: 1280 | elapsed time per iteration (ms): 7500.0 | learning rate: 2.0E-06 | global batch size:   128 | lm loss: 8.5E+00 |
[default7]: [2024-04-06 03:00:36] iteration       20/     100 | consumed samples: 2560 | elapsed time per iteration (ms): 5000.0 | throughput per GPU (TFLOP/s/GPU): 239.8 | lm loss: 7.5E+00 |
""",
            iterations=((1, 30.0, 1, 9.0), (10, 5.0, 9, 8.5), (20, 5.0, 10, 7.5)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._first_s: float | None = None  # time of the process's first iteration, if it was printed alone

    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """The window after the first line has the first iteration in it once more: take it out."""
        last, duration_s, first_s = self.last, fields.get("duration_s"), self._first_s
        if last is not None and first_s is not None and duration_s is not None and fields["iteration"] > last + 1:
            steps = fields["iteration"] - last
            fields["duration_s"] = max((duration_s * (steps + 1) - first_s) / steps, 0.0)
        events = super().iteration(fields, line)
        self._first_s = duration_s if last is None or fields["iteration"] < last else None
        return events


class MegatronUnstamped(_Megatron):
    """Megatron-LM until 2023, its forks, Megatron-DeepSpeed among them, and GPT-NeoX: the timer runs on."""

    name = "Megatron"
    about = "elapsed time per iteration: a mean over log_interval, evaluation and checkpoint of the window in it"
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line("| elapsed", r"^(?!.*\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] iteration).*?iteration +(?P<iteration>\d+)/ *"
             r"(?P<total>\d+) \|(?P<rest>.*)$", "step"),
        *_Megatron.lines[1:],
    )  # fmt: skip
    examples = (
        Example(
            """
[default7]: iteration    12695/  115311 | consumed samples:      9841584 | elapsed time per iteration (s): 105.25 | learning rate: 5.9E-05 | global batch size:  2048 | lm loss: 2.5E+00 | samples per second: 19.4 |
""",
            iterations=((12695, 105.25, 1, 2.5),),
            variant="Megatron-DeepSpeed in seconds",
        ),
        Example(
            """
 samples/sec: 187.504 | iteration       10/  320000 | elapsed time per iteration (ms): 5461.5 | learning rate: 3.0E-06 | approx flops per GPU: 50.1TFLOPS | lm_loss: 9.5E+00 | loss scale: 4096.0 |
 samples/sec: 187.504 | iteration       20/  320000 | elapsed time per iteration (ms): 5461.5 | lm_loss: 9.0 |
""",
            iterations=((10, 5.4615, 1, 9.5), (20, 5.4615, 10, 9.0)),
            variant="GPT-NeoX",
        ),
        Example(
            """
 iteration        5/   30000 | current time: 1706860208.35 | consumed samples:           16 | elapsed time per iteration (ms): 1996.5 | learning rate: 1.000E-04 | global batch size:    16 | lm loss: 8.5E+00 | grad norm: 1.2 |
""",
            iterations=((5, 1.9965, 1, 8.5),),
            variant="Megatron with its time in the line",
        ),
    )
