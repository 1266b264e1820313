"""The settings that a log's head prints, whatever its format: what its words make certain, with their line."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ...events import Config, Iteration, RunInfo, holds
from ..patterns import lazy_pattern
from .head_words import LONGEST, MAY_NAME_GPU, Found, Value, is_inner, words
from .planned import ends, totals
from .planned.ends import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...events import Event

HEAD_LINES = 4_000
"""Looked at before the first iteration. A model printed layer by layer has a thousand."""

AGAIN_LINES = 400
"""... and before the first iteration of another process: only these are remembered while a run goes on."""

NEWEST_LINES = 40
"""The newest are remembered, too: it takes some lines until another process is known to have begun."""

CODE_LINES = 3
"""Lines that only a program has: so many are no accident."""

TEXT_FIELDS = ("epochs", "batch_size", "max_sequence_length", "global_batch_size")
"""What has no field of its own, or is certain only with others: kept as text, to compare runs by."""

_STEPS = lazy_pattern(r"(?i)(?<![a-z])(?:steps?|iter(?:ation)?s?|it|updates?)(?![a-z])|it/s|s/it")
_EPOCH = lazy_pattern(r"(?i)(?<![a-z])(?<!\d-)epochs?\W{0,5}(\d{1,9})(?![\d.])(?: ?/ ?\d{1,9})?")
_OF_AN_EPOCH = lazy_pattern(
    r"(?i)batch|steps?(?![a-z])|iter|(?<![a-z])it(?![a-z])|update|sample|image|\d\s{0,8}/\s{0,8}\d"
)
"""Beside the epoch there is none of these in a row that counts epochs alone."""

_OTHERS = lazy_pattern(r"(?i)(\s*)['\"]?(?:val(?:[i_]\w+)?|(?:test|eval|infer)\w*)['\"]?\s*(?::|= ?dict\()\s*$")
_PART = lazy_pattern(r"(\s*)(?:\[.{0,200}\]\s+)?['\"]?(\w{1,40})['\"]?\s{0,4}(?:[:=]|\.{2,120}|\s)\s{0,4}\{\s*$")
_OF_A_TRIAL = lazy_pattern(r"(?i)\btrial\W{0,3}\d{1,6} (?:is |was )?(?:finished|pruned|completed?|failed|ended)\b")
"""With what settings a training of a search was done, which is over: the next one has others."""
_SOURCE = lazy_pattern(r"\s*(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:]|if __name__ )")

_MODELS_OWN = lazy_pattern(r"transformers_version|max_position_embeddings|n_positions|initializer_range")
"""What only the configuration of a model has: what that calls its `seq_length` is what it could read."""
_PAIR = lazy_pattern(r"\s*(?:\"\w{1,60}\": |[\]}\[{]|-?\d|\"[^\"]{0,200}\",?\s*$)")
"""A line of it, of a list in it included."""
_TUNES = lazy_pattern(r"(?i)fine[-_ ]?tun|(?<![a-z])(?:q?lora|peft|sft)(?![a-z])|packing\W{1,4}false")
_PACKS = lazy_pattern(r"(?i)packing\W{1,4}true|(?<![a-z])packed (?:data|sequence|sample)")
"""Rows of a fine-tuning are as long as their texts, but where they are packed: what is set is the longest's."""
_LEAST_ROW = 128  # tokens: a shorter one is what a model is to generate

_GPU = lazy_pattern(r"(?i)(?<![a-z])(?:gpus?|cuda|nccl)(?![a-z_])")
_NO_GPU = lazy_pattern(
    r"(?i)(?<![a-z])(?:no|not|none|false|without|disabled|unavailable|unable|fail\w*|can't|cannot|cpu)(?![a-z])"
    r"|(?<![\d.])0 gpus|gpus\W{1,3}0(?![\d.,])|available['\"]?\W{0,2}[:=?]\W{1,4}(?:\[\]|0(?![\d.]))"
)
"""`GPU available: False`, `Could not load CUDA`, `Moved from GPU to CPU`: no word for a GPU."""

_USES_NONE = lazy_pattern(
    r"(?i)\buse_?(?:gpu|cuda)\W{1,6}false|\bno_?cuda\W{1,6}true|(?<![\d./])0(?:\.0)?/0(?:\.0)? gpus"
)
"""What a launcher or a setting says goes before any word for a GPU."""

GPU_FIELDS = frozenset(("gpu_name", "gpu_names"))


class Head:
    """Collects the lines that no parser reads; gives what they say when the first iteration has come."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str]] = []
        self._most = HEAD_LINES
        self._read: set[str] = set()  # what the format itself reads: it knows better
        self._begins = True
        self._names_gpu = False
        self._begins_with = self._ended = 0  # first and last line of the newest process's head
        self._is_another = True  # not the first since the newest iteration: that may have begun a little earlier
        self._newest: deque[tuple[int, str]] = deque(maxlen=NEWEST_LINES)
        self._total = self._per_epoch = 0  # iterations, by its format; 0: it says nothing
        self._epochs: Setting | None = None  # of a run of which it is not known yet whether it counts these
        self._end: Setting | None = None  # a total, where its format has read another one itself
        self._maybe: dict[int, int] = {}  # totals by names that may be another's

    def add(self, number: int, text: str, begins_with: int | None = None) -> None:
        """Line `number` gave no event. `begins_with`: the first line of the process that writes now, if known."""
        if begins_with is not None and begins_with > self._begins_with:
            if self._is_another or len(self._lines) >= self._most:
                self._lines = [line for line in self._newest if line[0] >= begins_with]
            self._begins_with, self._most, self._is_another = begins_with, HEAD_LINES, True
        if len(self._lines) < self._most:
            self._lines.append((number, text[:LONGEST]))
        self._newest.append((number, text[:LONGEST]))

    def complete(self, events: Sequence[Event], text: str, parser: object = None) -> Sequence[Event]:
        """The `events` that `parser` read of `text`, and before a process's first iteration what the head says.

        How many epochs there are comes later, where only the parser finds out of how many iterations each is.
        """
        place = next((i for i, event in enumerate(events) if type(event) is Iteration), None)
        for event in events[:place]:
            if isinstance(event, Config):
                self._total = event.max_iterations or self._total
                self._per_epoch = event.iterations_per_epoch or self._per_epoch
                fields = event.__struct_fields__
                self._read |= {field for field in fields if getattr(event, field) not in (None, "", {})}
            elif type(event) is RunInfo:
                self._begins, self._total, self._per_epoch = True, 0, 0
        if place is None:
            return events
        index: int = events[place].index  # type: ignore[attr-defined]
        of_an_epoch = getattr(parser, "of_an_epoch", None)
        found = self.before_iteration(text, None if of_an_epoch == 0 else index)
        if self._epochs is not None:
            each = of_an_epoch or self._per_epoch
            found += self._end_of_epochs(index, each) if each else []
        if self._end is not None and index > self._total:
            found, self._end = found + self._end_of_all(self._end, index), None
        return [*events[:place], *found, *events[place:]] if found else events

    def before_iteration(self, text: str, index: int | None = None) -> list[Config]:
        """What the head says, if the iteration of line `text`, with its number, is the first of a process."""
        begins, lines = self._begins, self._lines
        self._begins, self._most, self._is_another = False, AGAIN_LINES, False
        if not lines:
            return []
        self._lines = []
        if begins:
            self._names_gpu, self._ended = False, lines[-1][0]
            steps = _STEPS.search(text) is not None
            found = settings(lines, counts_steps=steps, counts_epochs=not steps and _is_epoch(text, index))
            self._epochs = None if "max_iterations" in found else found.get("epochs")
            self._end = found.get("max_iterations") if "max_iterations" in self._read else None
            self._maybe = {} if "max_iterations" in found else totals.named(lines)
        else:  # what is measured after the first iterations may name a GPU, too
            self._epochs = None if self._says_again(lines) else self._epochs
            is_late = lines[0][0] > max(self._begins_with, self._ended) + AGAIN_LINES
            if self._names_gpu or is_late or not any(MAY_NAME_GPU.search(line) for _, line in lines):
                return []
            found = {key: said for key, said in settings(lines, counts_steps=False).items() if key in GPU_FIELDS}
        self._names_gpu = not GPU_FIELDS.isdisjoint(found)
        return _configs(found, self._read)

    def reached(self, index: int | None) -> list[Config]:
        """At the end of the log: the total that the newest iteration has reached, where nothing else tells one."""
        end = next((one for one in self._maybe if index is not None and index in (one - 1, one)), None)
        if end is None or self._total:
            return []
        return [Config(origin=f"log line {self._maybe[end]}", max_iterations=end)]

    def _says_again(self, lines: Sequence[tuple[int, str]]) -> bool:
        """Are as many epochs said before a later row? Then one may have begun that has all of them for itself."""
        if self._epochs is None:
            return False
        again = Found("epochs", self._epochs.value)
        return any(again in words(text) for _, text in lines if "poch" in text)

    def _end_of_all(self, said: Setting, index: int) -> list[Config]:
        """The rows have passed the total that their format reads: an epoch's, if the head tells several such."""
        end = int(ends.number(said))
        if not self._total or end % self._total or end < index:
            return []
        return _configs({"max_iterations": said}, self._read - {"max_iterations"})

    def _end_of_epochs(self, index: int, each: float) -> list[Config]:
        """The iteration `index` is one of `each` in an epoch, as its parser knows; epochs are the head's.

        Where both are one number, what is taken for an epoch's iterations may well be the epochs.
        """
        said, self._epochs = self._epochs, None
        end = int(ends.number(said) * each) if said is not None else 0
        if said is None or ends.number(said) == each or index > end or not holds("max_iterations", end):
            return []
        passed = 0 < self._total < index  # it was an epoch's alone
        known = self._read - {"max_iterations"} if passed else self._read
        return _configs({"max_iterations": said._replace(value=end)}, known)


def _is_epoch(text: str, index: int | None) -> bool:
    """Is the iteration `index` an epoch, by the words of its row, and no part of one?"""
    own = None if index is None else _EPOCH.search(text)
    if own is None or int(own[1]) != index:
        return False
    return _OF_AN_EPOCH.search(text[: own.start()] + text[own.end() :]) is None


def _configs(found: dict[str, Setting], known: set[str]) -> list[Config]:
    """One event a line: each setting knows where it was read."""
    by_line: dict[int, dict[str, Value]] = {}
    for field, said in found.items():
        if field not in known and holds(field, said.value):
            by_line.setdefault(said.line, {})[field] = said.value
    configs = [Config(origin=f"log line {line}", **fields) for line, fields in by_line.items()]  # type: ignore[arg-type]
    extra = {field: str(found[field].value) for field in (*TEXT_FIELDS, "device", "gpu_names") if field in found}
    return [*configs, Config(origin="log", extra=extra)] if extra and "extra" not in known else configs


def settings(
    lines: Sequence[tuple[int, str]], *, counts_steps: bool, counts_epochs: bool = False
) -> dict[str, Setting]:
    """What `lines` say for certain: two different values of one setting are none.

    Args:
        lines: number and text of each.
        counts_steps: do the run's iterations count steps? A number of steps is no end of a run that counts epochs.
        counts_epochs: do they count epochs? Their number is its end then, and none is made of one step's parts.
    """
    said: dict[str, dict[Value, int]] = {}
    for number, text in _of_the_run(_without_source(lines)):
        for field, value in words(text):
            said.setdefault(field, {}).setdefault(value, number)
    if told := totals.told(lines):
        said["max_iterations"] = dict(told.items())
    if "block_size" in said and not _rows_are_as_long(said, lines):
        del said["block_size"]
    found = {field: Setting(*next(iter(values.items()))) for field, values in said.items() if len(values) == 1}
    doubtful = {field for field, values in said.items() if len(values) > 1}
    if "gpu_name" in doubtful:
        names = said["gpu_name"]
        found["gpu_names"] = Setting(", ".join(map(str, names)), next(iter(names.values())))
    ends.agreed_end(said.get("max_iterations", {}), found, doubtful)
    if counts_epochs:
        ends.of_epochs(found)
    if "device" in found and found["device"].value == "cpu" and _names_gpu(lines):
        del found["device"]
    return _decided(found, doubtful, counts_steps=counts_steps or counts_epochs)


def _rows_are_as_long(said: dict[str, dict[Value, int]], lines: Sequence[tuple[int, str]]) -> bool:
    """Is the length that is `said` that of each row? Not what the model could read, nor the longest row's.

    What stands in a model's configuration is taken out of what is said.
    """
    found, texts = said["block_size"], dict(lines)
    if any(_MODELS_OWN.search(text) for text in texts.values()):
        own = _of_models(lines)
        found = said["block_size"] = {value: line for value, line in found.items() if line not in own}
    if not found:
        return False
    longest = {**said.get("longest_row", {}), **said.get("max_sequence_length", {})}
    if any(_LEAST_ROW <= int(one) < int(value) for one in longest for value in found):
        return False
    named = all("block" in texts[line].lower() for line in found.values())
    tunes = not named and any(_TUNES.search(text) for text in texts.values())
    return not tunes or any(_PACKS.search(text) for text in texts.values())


def _of_models(lines: Sequence[tuple[int, str]]) -> set[int]:
    """The numbers of the lines of models' configurations, which are printed pair by pair, or on one line."""
    own: set[int] = set()
    block: list[int] = []
    is_models = False
    for number, text in [*lines, (0, "")]:
        of_model = _MODELS_OWN.search(text) is not None
        if _PAIR.match(text):
            block.append(number)
            is_models = is_models or of_model
            continue
        own.update(block if is_models else ())
        own.update((number,) if of_model and "transformers_version" in text else ())
        block, is_models = [], False
    return own


def _names_gpu(lines: Sequence[tuple[int, str]]) -> bool:
    """Does any line name a GPU, CUDA or NCCL, and not to say that there is none? A loader may well use the CPU."""
    if any(_USES_NONE.search(text) for _, text in lines):
        return False
    return any(_GPU.search(text) and not _NO_GPU.search(text) for _, text in lines)


def _without_source(lines: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """Some trainers print their own source first: what it sets may be of another run."""
    code = [place for place, (_, text) in enumerate(lines) if _SOURCE.match(text)]
    return lines if len(code) < CODE_LINES else [*lines[: code[0]], *lines[code[-1] + 1 :]]


def _of_the_run(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Without the settings of a part, `"aio": {`, `val:` or `test_dataloader = dict(`, which stand below it."""
    part: int | None = None  # how far its name is indented
    for number, text in lines:
        indented = len(text) - len(text.lstrip())
        if part is not None and text.strip() and indented <= part:
            part = None
        other = _OTHERS.match(text) or _PART.match(text)
        if part is None and other and (other.lastindex == 1 or is_inner(other[2])):
            part = len(other[1])
        if part is None and not _OF_A_TRIAL.search(text):
            yield number, text


def _decided(found: dict[str, Setting], doubtful: set[str], *, counts_steps: bool) -> dict[str, Setting]:
    """What the settings mean beside each other; what stays open is left out."""
    _ranks(found, doubtful)
    ends.end(found, doubtful, counts_steps=counts_steps)
    _batches(found, doubtful)
    trained, whole = found.get("trained_parameters"), found.get("parameters")
    if "parameters" in doubtful or (trained and whole and ends.number(trained) > ends.number(whole)):
        found.pop("trained_parameters", None), found.pop("parameters", None)
    if "gpu_name" in found or "gpu_names" in found:
        found.pop("device", None)
    if "device" in found and found["device"].value == "cpu":
        found.pop("world_size", None)
    return found


def _ranks(found: dict[str, Setting], doubtful: set[str]) -> None:
    """`world_size` is the number of ranks; a number of GPUs is it on one machine only."""
    gpus, ranks = found.get("gpus"), found.get("world_size")
    nodes = found.get("nodes")
    several = "nodes" in doubtful or (nodes is not None and nodes.value != 1)
    if ranks is None and "world_size" not in doubtful and gpus is not None and not several:
        found["world_size"] = gpus
    elif (
        ranks is not None
        and not several
        and ("gpus" in doubtful or (gpus is not None and gpus.value != ranks.value))
    ):
        del found["world_size"]


def _batches(found: dict[str, Setting], doubtful: set[str]) -> None:
    """`batch_size` may be of one GPU or of all, of a micro-step or of an iteration: sure where those are one.

    One that is as many as the batches of an epoch counts these: `train batch : 70`.
    """
    size, of_epoch = found.get("batch_size"), found.get("steps_per_epoch")
    if size is not None and of_epoch is not None and size.value == of_epoch.value:
        del found["batch_size"]
    ranks, steps = found.get("world_size"), found.get("gradient_accumulation")
    alone = ranks is not None and ranks.value == 1
    whole = steps is None or steps.value == 1
    if "micro_batch_size" not in found and "batch_size" in found and alone and whole:
        if not doubtful & {"micro_batch_size", "gradient_accumulation"}:
            found["micro_batch_size"] = found.pop("batch_size")
    elif steps is not None and "micro_batch_size" not in found and not alone:
        del found["gradient_accumulation"]  # nanoGPT divides it by the number of ranks, others do not
    factors = [found[f] for f in ("micro_batch_size", "gradient_accumulation", "world_size") if f in found]
    whole_batch = found.get("global_batch_size")
    split = found.get("split_model")
    product = 1
    for factor in factors:
        product *= int(ends.number(factor))
    contradicts = whole_batch is not None and len(factors) == 3 and product != whole_batch.value
    if contradicts or "split_model" in doubtful or (split is not None and split.value != 1):
        for field in ("micro_batch_size", "gradient_accumulation"):
            found.pop(field, None)
