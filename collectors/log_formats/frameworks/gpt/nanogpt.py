"""nanoGPT (karpathy/nanoGPT, `train.py`) and its forks.

    tokens per iteration will be: 491,520             every rank prints the header, so its count is the world size
    step 250: train loss 1.9635, val loss 2.0707      evaluation, before the iteration that contains it
    saving checkpoint to out                          printed as saving begins; there is no line at its end
    iter 250: loss 2.0070, time 6022.30ms, mfu 9.41%

`time` runs from the end of the iteration before to the end of this one: it **includes** evaluation and checkpoint
at its head. With `log_interval = 10` it is that one iteration's time, no mean; the other nine are never printed.
`mfu` is of an A100's 312 TFLOP/s whatever the GPU, smoothed (0.9/0.1), and -100 % in the first iterations of a
process: at an iteration above 0, that process resumed. There is no clock. Forks leave out the MFU, say `BPC`, or
put fields between.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from .....arrays import packed
from .....events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    Iterations,
    RunInfo,
    SpanBegin,
    SpanEnd,
    holds,
)
from ....nanogpt_config import as_config, assignments
from ....patterns import lazy_pattern
from ...base import Example, LogFormat
from ...parsing.grammar import PREFIX
from ...parsing.stamps import stamp
from ...parsing.values import finite, positive, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TIME_INCLUDES = (EVALUATION, CHECKPOINT)
_A100_PEAK_FLOPS = 312e12  # `flops_promised` in model.py
_MOST_SETTINGS = 500  # lines of a printed config; nanoGPT's own has about 40
_DEFAULTS = {  # train.py at 3adf61e; true of a run only where they give the tokens per iteration that it prints
    "batch_size": 12, "block_size": 1024, "gradient_accumulation_steps": 40, "n_layer": 12, "n_head": 12,
    "n_embd": 768, "bias": False, "max_iters": 600_000, "warmup_iters": 2_000, "eval_interval": 2_000,
    "eval_iters": 200, "log_interval": 1, "always_save_checkpoint": True, "compile": True,
}  # fmt: skip

_NUMBER = r"([-+]?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf))"
_ITER = lazy_pattern(
    rf"iter {{1,12}}(\d{{1,15}}): {{1,12}}loss {{1,12}}{_NUMBER}(?: BPC)?"
    rf"(?:(?:.{{0,200}}?, time {{1,12}}|,? {{1,12}}(?=[\d.]{{1,12}} ?ms/iter\b)){_NUMBER} ?ms)?(?:.{{0,200}}?, mfu {{1,12}}{_NUMBER}%)?"
)
_WITHIN = lazy_pattern(r"(?i)\bepoch[ :=#\[]{0,3}\d{1,6}(?:/\d{1,6})?\W{0,4}$")
"""In front of `iter 5: loss 2.5`: minGPT's older trainer and its children count anew in each epoch."""
_STEP = lazy_pattern(
    rf"(?:step {{1,12}}(?=\d{{1,15}}: train loss)|\[eval\] iter {{1,12}})(\d{{1,15}}): train(?: loss)? {{1,12}}{_NUMBER}"
    rf"(?:,.{{0,200}}?)?,? val(?: loss)? {{1,12}}{_NUMBER}"
)
_SAVING = lazy_pattern(r"saving checkpoint to (\S*)")
_TOKENS = lazy_pattern(r"tokens per iteration will be: {1,12}([\d,]{1,20})$")
_PARAMETERS = lazy_pattern(r"number of parameters: {1,12}([\d.]{1,12})M$")
_OVERRIDING = lazy_pattern(r"Overriding: (\w+) = (.*)")
_CONFIG_TEXT = "Overriding config with "
_RESUMING = "Resuming training from "
_HEADER = (_CONFIG_TEXT, "Overriding: ", "tokens per iteration will be", "number of parameters: ", _RESUMING)
_OURS = ("iter ", "step ", "saving checkpoint to ", *_HEADER)  # without a time stamp in front
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w* *= *\S")


_CONFIG_LINE = lazy_pattern(r"#|[a-z_]\w* ?= ?\S")


# A plain line, as nearly all are. `[.-9]`, digits, points and slashes, is matched in two thirds of the time.
# Without its words it is nearly JSON: `,250,2.0070,6022.30f9.41%`; single letters are replaced five times as fast
# as `,f`, so that the commas are made of the `t` of `iter` and of `time`. A slash is none, and read by itself.
# What a repeat has matched it need not give back: to remember how takes half as long as all the rest.
_KEPT = b"+" if sys.version_info >= (3, 11) else b""
_PLAIN = rb"\niter [0-9]{1,12}%b: loss [.-9]{1,12}%b, time [.-9]{1,12}%bms, mfu [.-9]{1,6}%b%%(?=\n)" % (
    (_KEPT,) * 4
)
_WORDS = b"ier loss, ime ms, mu\n"
_COMMAS = bytes.maketrans(b"t:", b",,")

_numbers: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(list[int | float])


class NanoGPT:
    """Reads nanoGPT's lines. Several processes after each other in one log each get a `RunInfo` of their own."""

    plain = lazy_pattern(rb"%b(?:%b){0,999}%b" % (_PLAIN, _PLAIN, _KEPT))
    """It begins with the words themselves: among other lines they are found a hundred times as fast as a repeat is."""

    def __init__(self) -> None:
        self._last: int  # iteration
        self._printed: bool  # an iteration of this process
        self._begin_process(again=False)

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The events of one line."""
        if match := _iteration_in(text):
            return self._iteration(match, _at_s(text, at_s))
        if " val " in text and (match := _STEP.search(text)):
            return self._evaluation(match, _at_s(text, at_s))
        if match := _SAVING.search(text):
            saving = SpanBegin(CHECKPOINT, at_s=_at_s(text, at_s), iteration=self._evaluated, detail=match[1])
            return [*self._end_header(), saving]
        if self._in_config_text or any(map(text.__contains__, _HEADER)):
            return self._header_line(text)
        return []

    def block(self, data: bytes) -> Iterations | None:
        """The iterations of plain lines, or `None`: read them one by one.

        All numbers as one piece of JSON: 0.3 µs a line, where a regular expression for each takes 3 µs.
        """
        row = data.translate(_COMMAS, _WORDS).replace(b"f", b"e-3,").replace(b"%", b"e-2")
        try:
            numbers = _numbers.decode(b"[" + row[1:] + b"]")
        except msgspec.DecodeError:
            return None  # 1.2.3
        indices: list[int] = numbers[::4]
        if not self._printed or indices[0] < self._last or indices != sorted(indices):
            return None  # another process began
        self._last, self._has_mfu = indices[-1], True
        return Iterations(packed("q", indices), numbers[2::4], numbers[1::4], numbers[3::4])  # type: ignore[arg-type]

    def _begin_process(self, *, again: bool = True) -> None:
        self._settings: list[str] = []
        self._overridden: dict[str, str] = {}
        self._in_config_text = False
        self._ranks = 0  # how many have printed the header
        self._tokens: int | None = None
        self._resumed: bool | None = None
        self._announced: list[bool | None] = [] if again else [None]  # what the last `RunInfo` said of it
        self._header_over = False
        self._last, self._printed = -1, False
        self._evaluated: int | None = None
        self._has_mfu = False

    def _announce(self) -> Iterator[Event]:
        """A `RunInfo` where there is none yet, or where more is known than it said."""
        if self._announced != [self._resumed]:
            self._announced = [self._resumed]
            yield RunInfo(
                source_format="nanoGPT log",
                framework="nanoGPT",
                time_includes=TIME_INCLUDES,
                resumed=self._resumed,
            )

    def _iteration(self, match: re.Match[str], at_s: float | None) -> list[Event]:
        index, loss = int(match[1]), _float(match[2])
        duration_s, mfu = _scaled(match[3], -3), _scaled(match[4], -2)
        first_ones = mfu is not None and mfu < 0
        evaluated = None
        if self._printed and (index < self._last or (first_ones and self._has_mfu)):
            evaluated = self._evaluated if self._last < index else None  # its own line, which came before this one
            self._begin_process()
        if first_ones and index > 0 and not self._printed:
            self._resumed = True
        # `2297 ms/iter` every ten is what each of the ten took; `time 2297ms` that of one
        each = match.string[match.end(3) :].lstrip(" ").startswith("ms/iter") if match[3] else False
        over = index - self._last if each and self._printed else 1
        self._last, self._printed = index, True
        self._has_mfu = self._has_mfu or (mfu is not None and not first_ones)
        iteration = Iteration(
            index,
            duration_s=seconds(duration_s),
            loss=loss,
            mfu=None if first_ones else positive(mfu),
            at_s=at_s,
            averaged_over=max(1, over),
            bad_loss=_not_finite(match[2]) if loss is None else "",
        )
        again = [SpanEnd(EVALUATION, at_s=at_s, iteration=index, told=True)] if evaluated == index else []
        return [*self._end_header(), *again, iteration]

    def _evaluation(self, match: re.Match[str], at_s: float | None) -> list[Event]:
        index = int(match[1])
        if self._printed and index < self._last:
            self._begin_process()
        self._evaluated = index
        losses = {"train_loss": _float(match[2]), "val_loss": _float(match[3])}
        values = {name: loss for name, loss in losses.items() if loss is not None}
        detail = "" if len(values) == 2 else f"train loss {match[2]}, val loss {match[3]}"
        end = SpanEnd(EVALUATION, at_s=at_s, iteration=index, values=values, detail=detail)
        return [*self._end_header(), end]

    def _header_line(self, line: str) -> list[Event]:
        text = PREFIX.sub("", line, count=1)
        if self._in_config_text and _ASSIGNMENT.match(text) and len(self._settings) < _MOST_SETTINGS:
            self._settings.append(text)
            return []
        if not text.startswith(_HEADER):
            return []
        if self._printed:
            self._begin_process()
        self._in_config_text = text.startswith(_CONFIG_TEXT)
        if match := _OVERRIDING.match(text):
            self._overridden[match[1]] = match[2]
        self._resumed = self._resumed or text.startswith(_RESUMING) or None
        return [*self._announce(), *self._printed_figures(text)]

    def _printed_figures(self, text: str) -> Iterator[Event]:
        if match := _TOKENS.match(text):
            self._ranks += 1
            tokens = int(match[1].replace(",", "") or 0)
            self._tokens = tokens if holds("tokens_per_iteration", tokens) else None
            if self._ranks == 1:
                yield Config(origin="log", tokens_per_iteration=self._tokens)
        elif (match := _PARAMETERS.match(text)) and (millions := _float(match[1])):
            parameters = round(millions * 1e6)
            yield Config(origin="log", parameters=parameters if holds("parameters", parameters) else None)

    def _end_header(self) -> Iterator[Event]:
        """The events that stand before the first line of training: who runs, and its config as far as printed."""
        yield from self._announce()
        if self._header_over:
            return
        self._header_over = True
        values, _ = assignments("\n".join(self._settings))
        for name, value in self._overridden.items():
            read, _ = assignments(f"{name} = {value}")
            values[name] = read.get(name, value)  # text is printed without its quotes
        logged = _with_world_size(as_config(values, "log"), values.get("gradient_accumulation_steps"), self._ranks)
        if logged != Config(origin="log"):
            yield logged
        defaults = {name: value for name, value in _DEFAULTS.items() if name not in values}
        everything = {**_DEFAULTS, **values}
        if self._tokens is not None and as_config(everything, "").tokens_per_iteration == self._tokens:
            accumulation = defaults.get("gradient_accumulation_steps")
            yield _with_world_size(as_config(defaults, "nanoGPT's default"), accumulation, self._ranks)  # type: ignore[arg-type]
        yield Config(origin="nanoGPT", logged_mfu_peak_flops=_A100_PEAK_FLOPS)


def _with_world_size(config: Config, all_micro_steps: object, ranks: int) -> Config:
    """nanoGPT divides its accumulation by the world size: what is left is that of one rank."""
    config = msgspec.structs.replace(config, checkpoint_interval=config.evaluation_interval)
    if ranks:
        config = msgspec.structs.replace(config, world_size=ranks)
    if ranks and isinstance(all_micro_steps, int) and all_micro_steps % ranks == 0:
        config = msgspec.structs.replace(config, gradient_accumulation=all_micro_steps // ranks)
    return config


def _float(text: str | None) -> float | None:
    """A finite number, or `None`."""
    try:
        value = float(text or "nan")
    except ValueError:  # "1.2.3"
        return None
    return finite(value)


def _not_finite(text: str) -> str:
    """What is printed for a loss that is no number; "" for one that is only more than an event can hold."""
    bare = text.lstrip("+")
    return bare if bare.lstrip("-") in ("nan", "inf") else ""


def _at_s(text: str, arrived_at_s: float | None) -> float | None:
    """When a line was written, by its own stamp if it has one."""
    return arrived_at_s if text.startswith(_OURS) else stamp(text) or arrived_at_s


def _scaled(text: str | None, power: int) -> float | None:
    """A number times a power of ten, rounded once, as `block` reads it: 40.15 / 100 is not 0.4015."""
    if text is None or "e" not in text:
        return _float(f"{text}e{power}")
    value = _float(text)
    return None if value is None else finite(value * 10.0**power)


def _matches(text: str) -> bool:
    """Of a config file's text, which train.py prints, too: it is read, but proves nothing."""
    return _is_distinctive(text) or _CONFIG_LINE.match(text) is not None


def _is_distinctive(text: str) -> bool:
    if is_iteration(text) or (" val " in text and _STEP.search(text)):
        return True
    return any(map(text.__contains__, _OURS[2:])) and PREFIX.sub("", text, count=1).startswith(_OURS[2:])


def is_iteration(text: str) -> bool:
    """Does `text` say what an iteration's `iter` line says?"""
    return "iter " in text and _iteration_in(text) is not None


def _iteration_in(text: str) -> re.Match[str] | None:
    """The line's iteration; one that counts within an epoch is another trainer's."""
    found = _ITER.search(text)
    return None if found is None or _WITHIN.search(text, 0, found.start()) else found


FORMAT = LogFormat(
    name="nanoGPT",
    about="the time of one iteration, evaluation and checkpoint inside; MFU of an A100; no clock",
    matches=_matches,
    is_distinctive=_is_distinctive,
    is_iteration=is_iteration,
    parser=NanoGPT,
    time_includes=TIME_INCLUDES,
    examples=(
        Example(
            """
tokens per iteration will be: 16,384
number of parameters: 10.65M
step 0: train loss 4.25, val loss 4.5
iter 0: loss 4.25, time 40632.5ms, mfu -100.00%
iter 1: loss 4.125, time 1970.5ms, mfu 9.50%
step 2: train loss 2.25, val loss 2.5
saving checkpoint to out
iter 2: loss nan, time 6022.5ms, mfu 9.41%
""",
            iterations=((0, 40.6325, 1, 4.25), (1, 1.9705, 1, 4.125), (2, 6.0225, 1, None)),
            evaluations=((0, {"train_loss": 4.25, "val_loss": 4.5}), (2, {"train_loss": 2.25, "val_loss": 2.5})),
            checkpoints=(2,),
        ),
    ),
)
