"""What the lines before the first iteration call their settings: one table, whatever wrote the log.

A name stands here only if it means one thing wherever it is printed. `gpu: 0` is a place and no number of GPUs,
`amp: True` may be either 16-bit format, `n_ctx` is what a model could read: none of them is here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..log_formats.parsing.grammar import PREFIX
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 8_000
"""Of a line: an argument dump of three hundred settings."""

Value = int | str

SIZES = ("parameters", "trained_parameters")
"""Fields whose number may have a scale: `124.4M`."""

_NAMES = {
    "gpus": (
        "num gpus|num devices|ngpus|n gpus|number of gpus|number of devices|number of cuda devices"
        "|total number of cuda devices|gpu count"
    ),
    "nodes": "num nodes|nnodes|n nodes|number of nodes|num machines",
    "world_size": "world size|distributed world size|number of processes|num processes",
    "split_model": (
        "tensor model parallel size|tensor parallel size|pipeline model parallel size"
        "|pipeline parallel size|context parallel size|model parallel size|tp size|pp size"
        "|cp size"
    ),
    "parameters": (
        "number of parameters|num parameters|num params|number of params|total params"
        "|total parameters|total number of parameters|all params|model parameters|model params"
        "|number of model parameters|#params|# params|#parameters|params|parameters"
    ),
    "trained_parameters": (
        "trainable params|trainable parameters|number of trainable parameters"
        "|total trainable params|total trainable parameters|num trainable params"
    ),
    "micro_batch_size": (
        "per device train batch size|per device batch size|micro batch size"
        "|train micro batch size per gpu|micro batch size per gpu|batch size per gpu"
        "|batch size per device|instantaneous batch size per device|train batch size per gpu"
        "|batch size per rank|device batch size|samples per gpu|microbatch size|device train microbatch size"
    ),
    "batch_size": (
        "batch size|train batch size|training batch size|input batch size|mini batch size"
        "|batchsize|train batchsize|minibatch size|train batch"
    ),
    "global_batch_size": (
        "global batch size|total batch size|effective batch size|global train batch size"
        "|ims per batch|total train batch size|total train batch size w. parallel distributed & accumulation"
    ),
    "block_size": "block size|context length|context size|ctx len|sequence length|seq length|seq len",
    "max_sequence_length": "max seq len|max seq length|max sequence length|model max length",
    "longest_row": "max length|cutoff len|max source length|max prompt length",
    "gradient_accumulation": (
        "gradient accumulation steps|grad accumulation steps|grad accum steps|grad accum"
        "|gradient accumulation|device train grad accum|accumulation steps|accumulate grad batches"
        "|accum iter|accumsteps"
    ),
    "tokens_per_iteration": (
        "tokens per iteration|tokens per step|tokens per iteration will be|tokens/step"
        "|tokens per optimizer step|tokens per update|tokens/iteration|tokens/iter"
        "|tokens/optimizer step|tokens/update"
    ),
    "max_iterations": (
        "max steps|max iters|max iter|max train steps|max updates|max iterations|train iters"
        "|num training steps|num train steps|total training steps|total optimization steps"
    ),
    "steps_per_epoch": (
        "steps per epoch|iterations per epoch|batches per epoch|iters per epoch|require iter number per epoch"
        "|training batches|train batches|number of training batches|num training batches"
        "|number of steps per epoch|number of steps per epochs|num steps per epoch"
    ),
    "epochs": (
        "num epochs|num train epochs|total epochs|max epochs|number of epochs|epochs|num epoch|max epoch"
        "|n epochs|training epochs|train epochs|total epoch|epoches|num epoches|max epoches|n epoches"
    ),
}
"""Fields of `Config`, and such as only decide what the others mean (`batch_size`: of one GPU or of all?)."""

_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split("|")}
_LAST = frozenset(re.split(r"[ /#.]", name)[-1] for name in _FIELDS) | {"accumulation"}
_LONGEST_NAME = 9  # words

_OTHERS = frozenset((
    "val", "valid", "validation", "eval", "evaluation", "test", "testing", "dev", "max", "maximum", "min",
    "infer", "inference", "predict", "optimal", "sample", "generation", "prompt", "decode", "warmup",
    "default", "old", "previous", "finished",
))  # fmt: skip
"""Before a name, they make it another's: `test batch size: 1000`."""

_BARE = frozenset(("params", "parameters"))
_BEFORE_BARE = frozenset(("with", "info", "model", "total"))

_MODEL = (
    r"(?:(?:[A-Z]{1,3})?\d{1,4}[A-Z]{0,2}(?:\d|[cmx]\b)?|RTX|TITAN|V|X|Xp|Z)"
    r"(?:[ -](?:Ti|SUPER|Super|Xp?|Black|D|V|Z|PCI[eE]|SXM\d?|NVL|HBM\d\w?|\d{1,3}GB|Laptop|GPU|Ada|Generation"
    r"|with Max-Q Design|Max-Q)\b){0,4}(?: \(Pascal\))?"
)
GPU = (
    rf"(?:(?:NVIDIA[ -])?(?:(?:Tesla|GeForce|Quadro|TITAN)[ -])(?:[RG]TX[ -])?{_MODEL}"
    rf"|(?:NVIDIA[ -])?[RG]TX[ -]{_MODEL}|NVIDIA[ -]TITAN[ -]{_MODEL}"
    r"|(?:NVIDIA[ -])?(?:A100|H100|H200|V100|P100|A800|H800|A10G|A10|A30|A40|L40S?|L4|T4|B200|GB200|GH200)\b"
    r"(?:[ -](?:PCI[eE]|SXM\d?|NVL|HBM\d\w?|\d{2,3}GB)\b){0,4}"
    r"|(?:AMD )?Instinct MI\d{2,3}[AX]?|TPU v\d[ep]?(?:-\d{1,4})?)"
)
"""The name of an accelerator as its driver gives it. In a sentence about GPUs it proves nothing: see `_SAID`."""

MAY_NAME_GPU = lazy_pattern(r"Tesla|GeForce|Quadro|TITAN|[RG]TX|Instinct|TPU|[AHVPBLT]\d")
"""What each of these names holds: lines without it need no look for one."""

_OF_A_DEVICE = (
    r"(?i:\b(?:gpus?|devices?|cuda|accelerator)(?:[ _]?(?:name|type|model|available|found|detected|used))?"
    r"(?:[ :]{0,2}\d{1,2}\b(?:, ?\d{1,2}\b){0,31})?)"
)
_NO_ADVICE = (
    r"^(?!.{0,99}(?i:recommend|requir|support|\btested|example|e\.g\.|such as|minimum|\bneed|default|\bor\b))"
)
_USING = r"(?i:\b(?:let's use|using|training on|running on|training with|trains on))"

_SAID = (
    ("gpu_name", rf"{_OF_A_DEVICE}(?:[\s:=\[('\",)]|\bis\b){{1,12}}(?:name: )?({GPU})(?![\w-])"),
    (
        "gpu_name",
        rf"\bGPU \d{{1,2}}(?:,\d{{1,2}}){{0,31}}\s{{2,40}}({GPU})(?![\w-])",
    ),  # of a table of the environment
    ("gpu_name", rf"\|\s{{1,4}}\d{{1,2}}\s{{1,4}}({GPU})\s{{1,40}}(?:On|Off)\s{{0,20}}\|"),
    ("gpu_name", rf"(?i:\b(?:device|gpu|cuda)\b).{{1,60}}\b(?i:name): {{0,3}}({GPU})(?![\w-])"),
    ("gpu_name", rf"\bname: ({GPU})[, ]{{1,3}}(?:major|pci bus)"),
    ("gpu_name", rf"\bcapabilities = .{{1,60}}; name = ({GPU})(?![\w-])"),  # fairseq's table of workers
    ("gpu_name", rf"({GPU})\. Num GPUs = \d"),  # Unsloth's banner
    ("gpu_name", rf"^\[\d{{1,2}}\] ({GPU})\s{{1,40}}\|"),  # gpustat
    (  # what PyTorch says, printed alone or behind a name
        "gpu_name",
        rf"{_NO_ADVICE}(?:.{{0,99}}(?:[:=>\]]|\s-)\s{{1,8}})?['\"(\[]{{0,2}}((?=NV|Te|Ge|Qu|TI){GPU})['\")\]]{{0,2}}\W{{0,2}}$",
    ),
    ("gpu_name", rf"{_USING} (?:\d{{1,4}} ?[x×]? ?)?({GPU})(?![\w-])"),
    ("gpus", rf"{_USING} (\d{{1,4}}) ?[x×]? ?{GPU}(?![\w-])"),
    ("gpus", rf"{_USING} (\d{{1,4}}) (?i:gpus?|devices)\b"),
    (
        "steps_per_epoch",
        r"(?i)(?<![\w.])(\d[\d,]{0,12}) (?:iterations|iters|steps|batches) (?:per|in each|in an?) epoch\b",
    ),
    ("max_iterations", r"(?i)(?<![\w.])(\d[\d,]{0,15}) (?:max|total|maximum) (?:iterations|iters|steps)\b"),
    (
        "device",
        (
            r"(?i)(?<![\w.])(?:device|using device)['\"]?\s{0,20}[:=]?\s{0,20}"
            r"(?:(?:torch\.)?device\((?:type=)?)?['\"]?(cpu|cuda|mps)\b"
        ),
    ),
    ("device", r"(?i)\busing (?:the )?(cpu|cuda) device\b|(?:^|\] )\W{0,8}use (?:the )?(cpu)\W{0,3}$"),
    ("device", r"(?i)\b(?:train(?:s|ing)|running)(?: started)? on (?:the |device )?['\"]?(cpu|cuda)\b(?! \w)"),
    (
        "device",
        r"(?i)(?<![\w.])(?:use_?(?:gpu|cuda)['\"]?\s{0,4}[:=]\s{0,4}(false)|no_?cuda['\"]?\s{0,4}[:=]\s{0,4}(true))\b",
    ),
    ("device", r"(?<![\d./])0(?:\.0)?(/)0(?:\.0)? GPUs\b"),
    (
        "device",
        r"(?i)\b(?:gpus?|cuda)[ _](?:is[ _])?available['\"]?\W{2,7}(\[\]|(?<!gpu available: )0(?![.,])|false)",
    ),
    ("device", r"(?i)\b(cpu)[- ]only mode\b|\b(?:running|training|train|run) in (cpu) mode\b"),
    ("device", r"(?i)\bno (?:gpus?|cuda)\b[^:=]{0,60}\b(?:using|use|on|to) (?:the )?(cpu)\b"),
    (
        "epochs",
        r"(?i)(?<![-\w])train(?:ing)?(?: (?:for|loop|starts|started))?(?: -+| —| –|:|,)? (\d{1,7}) epochs\b",
    ),
    (
        "epochs",
        r"(?i)[,;] train(?:ing)?[ _]epoch ?[:=] ?(\d{1,7})\b(?! ?[./]\d)",
    ),  # alone: a head
    (
        "max_iterations",
        r"(?i)\btotal epochs\W{1,3}\d{1,9}\W{1,3}(?:total )?iters\W{1,3}(\d[\d,]{0,15})",
    ),
    (
        "precision",
        r"(?i)(?<![\w.])(?:--)?(bf16|fp16)['\"]?\s{0,60}[:=.| ]\.{0,120}\s{0,20}(?:true|yes|1)\b",
    ),
    (
        "precision",
        (
            r"(?<![\w\"])(?:--)?(?:mixed_precision|precision|compute_dtype|dtype|amp_dtype)'?\s{0,40}[:=|]\s{0,20}"
            r"['\"]?(?:torch\.)?(bfloat16|float16|bf16|fp16)(?:-mixed)?\b"
        ),
    ),
    ("precision", r"(?i)\busing (bf16|bfloat16|fp16|float16)[ -](?:native|half|automatic|mixed|precision)"),
    (
        "parameters",
        r"(?i)\bmodel (?:\w{1,20} ){0,3}(?:has|with) (\d[\d,.]{0,20}\s?(?:[KMBG]|[mb]illion)?) (?:total )?param",
    ),
    (
        "trained_parameters",
        r"(?i)\bmodel (?:\w{1,20} ){0,3}(?:has|with) (\d[\d,.]{0,20}\s?(?:[KMBG]|[mb]illion)?) trainable param",
    ),
)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compiled when the first line may say something: 15 ms that most starts need not wait for."""
    return tuple((field, re.compile(pattern)) for field, pattern in _SAID)


_ANY_SAID = lazy_pattern(
    r"(?i)gpu|cuda|\bcpu\b|device|total epochs|[,;] train(?:ing)?[ _]epoch"
    r"|tesla|nvidia|tpu|[rg]tx|titan|precision|dtype|[bf][pf]?16|model (?:\w{1,20} ){0,3}(?:has|with) \d"
    r"|\d (?:max|total|iter|step|batches|epochs)"
)

_VALUE = lazy_pattern(
    r"(?<![\w.+\-])(\d[\d,_]{0,20}(?:\.\d{1,12})?)(?: ?([kKMBG]|[mb]illion)\b)?(?![\w%])(?!\.\d)"
)
_NOT_ALONE = lazy_pattern(r"\s*(?:[*/+]|//|[x×]\s*\d|per\b|out of\b|[KMG]i?B\b)|\s-\s?\d")
_KEY = lazy_pattern(r"[A-Za-z_#][\w.\-#/&]*(?:,? \(?[A-Za-z_#&][\w.\-#/&]*\)?)*\)?$")
_NEXT_SENTENCE = lazy_pattern(r"\w\. {1,4}$")
_BETWEEN = " \t'\"=:|.>"
_PREFIXES = frozenset(
    ["arg", "args", "cfg", "config", "hparams", "opt", "opts", "train", "training", "trainer", "data", "model"]
)
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
_SCALES = {None: 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "million": 1e6, "billion": 1e9}
_OTHER_WORDS = {"bfloat16": "bf16", "float16": "fp16"} | dict.fromkeys(("false", "true", "/", "[]", "0"), "cpu")
"""What a word says: `use_gpu: False`, `no_cuda=True`, `0/0 GPUs`, `GPU Available: []` that it is on the CPU."""

_ROW = lazy_pattern(r"(?i)loss['\"]?\s{0,4}[:=]\s{0,4}\d")
_CODE = lazy_pattern(r"\s*(?:def|class|return|assert|if|elif|for|while|from|import|raise|with|parser\.|@|//)\b")
_QUOTED = lazy_pattern(
    r"(?i)\b(?:e\.g\.|for example|for instance|such as|examples?:|usage:|consider|recommend|suggest|try\b|please\b"
    r"|you (?:can|may|might|should|could|need|must)\b|(?:user|future|runtime|deprecation)warning)"
    r"|[\w.]\((?:[a-z_][\w.]*, ?)+[a-z_]\w* ?="
)
"""An advice, an example or a call: `try batch_size=4`, `loader = DataLoader(dataset, batch_size=1)`.

A printed object has names in front of all its values.
"""
_INNER = lazy_pattern(r"\w{1,40}['\"]?(?:\s{0,4}[:=.]|\s)\.{0,120}\s{0,8}\{[^{}]{0,1500}\}?")
_ARGUMENTS = lazy_pattern(
    r"(?i)(?:args?|arguments|config(?:uration)?|cfg|hparams|params|parameters|opts?|options|settings|info|model"
    r"|train(?:er|ing)?|data)\W*"
)


class Found(NamedTuple):
    """A value that a line gives."""

    field: str
    value: Value


def words(text: str) -> Iterator[Found]:
    """What one line says of the run's settings. Source code, and numbers in advice, are what one might set."""
    text = text[:LONGEST]
    if _CODE.match(text) or _ROW.search(text) or "self." in text:
        return
    if "{" in text:
        text = _INNER.sub(_without_inner, PREFIX.sub("", text, count=1))  # `INFO:root:{` is no name of a part
    if not _QUOTED.search(text):
        yield from _numbers(text)
    if _ANY_SAID.search(text):
        yield from _in_sentences(text)


def is_inner(name: str) -> bool:
    """Is `name` that of a part, whose settings are not the run's own? `aio: {'block_size': 1048576}`."""
    return _ARGUMENTS.fullmatch(name.strip("'\" ")) is None


def _without_inner(found: re.Match[str]) -> str:
    name = found[0].partition("{")[0]
    return name if is_inner(name) else found[0]


def _numbers(text: str) -> Iterator[Found]:
    """`name: number` in any manner, by the words before the number."""
    for number in _VALUE.finditer(text):
        before = text[max(0, number.start() - 100) : number.start()]
        bare = before.rstrip(_BETWEEN)
        if (
            _NEXT_SENTENCE.search(before)
            or not bare
            or (bare == before and before[-1:] != "(")
            or _NOT_ALONE.match(text, number.end())
        ):
            continue
        field = _field(bare.replace(" / ", "/"))
        if field is None:
            continue
        scaled = float(number[1].rstrip(",").replace(",", "").replace("_", "")) * _SCALES[_lower(number[2])]
        value = round(scaled) if field in SIZES else int(scaled)
        if 0 < value < 2**53 and (field in SIZES or (value == scaled and number[2] is None)):
            yield Found(field, value)


def _field(before: str) -> str | None:
    """The field whose name ends the text `before`."""
    if (
        re.split(r"[ _\-/#.('\"]", before[-24:].rstrip(")'\"").lower())[-1] not in _LAST
        and "atchSize" not in before[-12:]
    ):
        return None
    if (key := _KEY.search(before)) is None:
        return None
    argument = before[key.start() - 1 : key.start()] == "(" and before[key.start() - 2 : key.start() - 1].isalnum()
    parts = key[0].split(" ")
    for count in range(min(_LONGEST_NAME, len(parts)), 0, -1):
        head, *rest = parts[-count:]
        prefix, _, last = head.rpartition(".")
        if prefix and prefix.lower() not in _PREFIXES:
            continue
        name = _plain(" ".join([last, *rest]))
        if (field := _FIELDS.get(name)) is not None:
            previous = _lower(parts[-count - 1].strip("-_.")) if count < len(parts) else None
            others = name in _BARE and previous not in (None, *_BEFORE_BARE)
            return None if others or previous in _OTHERS or (argument and field in SIZES) else field
    return None


def _plain(name: str) -> str:
    """`train_batchSize (per GPU)` → `train batch size per gpu`."""
    spaced = re.sub(r"[_\-]+", " ", _CAMEL.sub(" ", name) if name[:1].islower() else name)
    return re.sub(r"[(),]", "", spaced).strip().lower()


def _lower(text: str | None) -> str | None:
    return text.lower() if text else None


def _in_sentences(text: str) -> Iterator[Found]:
    """What stands in sentences, and what is no number."""
    for field, pattern in _patterns():
        if found := pattern.search(text):
            value = found[found.lastindex or 1]
            if field in _NAMES:
                yield from _numbers(f"{_NAMES[field].partition('|')[0].replace(' ', '_')}={value}")
            else:
                value = value if field == "gpu_name" else value.lower()
                yield Found(field, _OTHER_WORDS.get(value, value))
