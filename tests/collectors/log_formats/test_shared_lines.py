"""Lines that a format reads and others print too: they alone are no proof of it, however many there are."""

from __future__ import annotations

import pytest
from log_examples import EXAMPLES, FILES, IDS, TEXTLESS, format_named

from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import all_formats
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Iterations

BAR = "Loading checkpoint shards:  50%|█████     | 2/4 [00:03<00:03,  1.50s/it]"
NO_BAR_YET = "Downloading shards:   0%|          | 0/4 [00:00<?, ?it/s]"
BORDER = "-" * 40
OF_A_RANK = " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 640"

SHARED: dict[str, tuple[str, ...]] = {
    "AllenNLP bars": ("90it [00:01, 350.70it/s]",),
    "RecBole": ("epochs = 50",),
    "BERT tutorial": (
        "======== Epoch 1 / 4 ========",
        "  Average training loss: 0.50",
        "  Training epoch took: 0:01:40",
        "Running Validation...",
        "  Accuracy: 0.80",
        "  Validation took: 0:00:05",
        "Training complete!",
        "Total training took 0:03:35 (h:mm:ss)",
    ),
    "BasicSR": ("INFO: Validation finished",),
    "CS230": (
        "2020-02-01 10:00:00,000:INFO: Epoch 1/10", "2020-02-01 10:00:00,000:INFO: Loading the datasets...",
        "2020-02-01 10:00:00,000:INFO: Restoring parameters from best.pth", "2020-02-01 10:00:00,000:INFO: Best val f1: 37.50",
    ),
    "CSV": ("1, pears, 2", "1 2.5 3"),
    "Chainer": ('    "epoch": 3,', "    {", "    },", "12           0.5         0.375"),  # any file of JSON, any table
    "ColBERT": ("#> Saving a checkpoint to disk.",),
    "Flower": ("INFO :      [ROUND 3]",),
    "PFLlib": ("Global rounds: 90", "Averaged Train Loss: 2.5", "Averaged Test Accuracy: 0.5", "Averaged Test AUC: 0.5", "All done!"),
    "Hugging Face Trainer": (
        "  eval_loss = 0.5", "  Num examples = 600", "  Total batch size = 8", "  Num update steps per epoch = 75", "Num Epochs = 3", "Number of trainable parameters = 640",
        "trainable params: 4,194,304 || all params: 8,388,608 || trainable%: 50", "Saving model checkpoint to out/last",
        "Resuming from checkpoint: out/checkpoint-500", BAR, NO_BAR_YET,
    ),
    "Hugging Face trainer_state.json": ('  "loss": 0.5,', '  "width": 640,', "  },", "  {"),
    "Informer family": ("Epoch: 3 cost time: 12.5",),
    "Marian": (
        "[2021-05-01 10:00:00] Training started",
        "[2021-05-01 10:00:00] Training finished",
        "[2021-05-01 10:00:00] [config] disp-freq: 500",
    ),
    "KAIR": ("INFO:   task: cleaning up", "Saving the model."),
    "PyTorch language model example": ("| End of training | test loss  4.50 | test ppl    90.02",),
    "RAFT": ("Validation loss: 0.512", "Parameter Count: 5257536"),
    "Pointnet_Pointnet2_pytorch": tuple(
        f"2021-05-01 10:00:00,000 - Model - INFO - {said}"
        for said in (
            "Epoch 1 (1/200):", "Learning rate:0.001000", "Training mean loss: 0.5", "Training accuracy: 0.5", "eval mean loss: 0.5",
            "Save model...", "Saving model....", "PARAMETER ...", "Use pretrain model", "End of training...",
        )
    ),
    "nnU-Net": ("Epoch 3", "Current learning rate: 0.01", "train_loss 0.5", "val_loss 0.5", "Training done."),
    "nnU-Net v1": (
        "epoch:  3", "train loss : 0.5", "validation loss: 0.5", "lr: 0.01", "saving checkpoint...", "finished prediction",
    ),
    "pytorch-cifar": ("Epoch: 3",),
    "StyleGAN": ('{"results": {"fid": 2.5}, "metric": "fid"}', "Training for 25000 kimg..."),
    "Keras": ("Epoch 3/10", "Train on 600 samples", "Found 600 images belonging to 3 classes.", "Saving checkpoints for 350 into model.ckpt."),
    "Hugging Face log_history": ("  'width': 640,",),
    "Hugging Face log_history as CSV": ("1,2,3.5",),
    "KnowledgeGraphEmbedding": ("Evaluating on Test Dataset...",),
    "Lightning": (
        "Epoch 3:  50%|█████     | 2/4 [00:03<00:03,  1.50s/it, loss=0.5]",
        "Epoch 3, global step 40: 'val_loss' was not in top 1",
        BAR,
        NO_BAR_YET,
    ),
    "Lightning metrics.csv": ("1,2,3.5",),
    "MXNet": (
        "Resume training with (4 workers)",
        "batch_size=32",
        "Saved checkpoint to out/a.pt",
        "[Epoch 3] validation: accuracy=0.5",
    ),
    "MATLAB": ("  50  1  00:00:15  0.5  2.5",),
    "ManiSkill PPO": ("model saved to out/ckpt_1.pt",),
    "Megatron": (OF_A_RANK, " evaluate ...: (500.25, 500.50)", "time (ms) | read: 5.00"),
    "Megatron-LM": (OF_A_RANK, " evaluate ...: (500.25, 500.50)", "time (ms) | read: 5.00"),
    "OpenNMT-py": (
        "                           took: 2.5 s.", "Loading dataset from data/demo.valid.0.pt",
        "Loading dataset from data/demo.train.1.pt,", "[2021-05-01 10:00:00,000 INFO] number of examples: 600",
    ),
    "OpenMMLab": (
        "2021-05-01 10:00:00,000 - app - INFO - Epoch [3][10/40]	lr: 0.01, mAP: 0.5", "    window_size=50,", "default_hooks = dict(", "Trainer(max_epochs=10)",
    ),
    "PyMARL": ("grad_norm: 0.5  q_loss: 0.25",),
    "Ray Tune": ("  timestamp: 1700000000", "  loss: 0.5"),
    "rsl_rl": ("               Computation: 80000 steps/s (collection: 1.0s, learning 0.2s)", "    Some value: 0.5"),
    "Spinning Up": ("|      SomeValue |           0.5 |", BORDER),
    "Stable-Baselines": ("| name    | value |", BORDER, "***** Iteration 7 *****"),
    "PyTorch meters": ("Test: [10/50]  EPE 0.5",),
    "Swin": ("Test: [10/50]  Time 0.125 (0.250)  Loss 0.5 (0.5)", "Test: [10/50]  EPE 0.5"),
    "Transformer-XL": ("Eval batches[100] | loss 5.25", "Model saved in path: /tmp/model", "train_steps : 4000"),
    "Ultralytics YOLO": ("UNet summary: 24 layers, 1,000 parameters", BAR, NO_BAR_YET),
    "Ultralytics results.csv": ("1, 2, 3",),
    "[Training] bar": ("Num Epochs = 3",),
    "detectron2": ("  MAX_ITER: 90000",),
    "fairseq": ('begin validation on "valid" subset', "max_update=500", "num. model params: 1,000,000"),
    "TensorFlow Estimator": (
        "loss = 2.5, step = 1",
        "Saving checkpoints for 350 into model.ckpt.",
        "  Num steps = 5000",
    ),
    "TensorFlow slim": ("INFO:tensorflow:global_step/sec: 2.5",),
    "bare counts": ("average loss: 0.50",),
    "drawn table": (
        "1  2  3.5 │",
        "1  pears  [2 3] │",
        "1  pears  NA │",
        "1,2.5 │",
        "1;2.5 │",
    ),
    "other spellings": ("Epoch 0/24", "current step: 12", "saving at (epoch 2, total_steps 640)"),
    "rows of cores": ("Epoch 0/24", "current step: 12", "saving at (epoch 2, total_steps 640)"),
    "litgpt": (
        "Saving checkpoint to 'out/model.pth'",
        "Number of trainable parameters: 1,000",
        "Number of non-trainable parameters: 1,000",
    ),
    "fastText": ("Number of words:  2224",),  # as any tool counts those of a text
    "fastai": ("Total time: 1:05:17",),
    "steps with fps": (
        "[ 50.0%]     5,000/10,000 |      5s | 1,000 fps | ETA 5s",  # of a film
        "Training complete in 5s",
    ),
    "guided-diffusion": ("| width | 640 |", BORDER),
    "JSON objects": ('    "pears": "green",', "  },"),
    "key: value": ("Epoch 0/24", "current step: 12", "saving at (epoch 2, total_steps 640)"),
    "minGPT": ("number of parameters: 124.40M",),
    "monitor.csv of Gym": ("12.0,98,2.5",),
    "pix2pix, CycleGAN": ("    batch_size: 4", BAR, NO_BAR_YET),
    "RL progress.csv": ("1,2,pears",),
    "spaCy": ("  0     200       4263.20   1600.00",),
    "spaCy loop": ("Starting iteration 3", "Epoch 3/10"),
    "table": ("1  2  3.5", "1  pears  [2 3]", "1  pears  NA", "1,2.5", "1;2.5"),
    "timm": ("Test: [10/50]  EPE 0.5",),
    "tqdm": (BAR, NO_BAR_YET, "120it [00:04, 30.00it/s]"),
    "value alone": ("2.5",),
    "wordplay": (BAR,),
}  # fmt: skip
"""Of each format all that others print too, as another program might."""


def parser_of(name: str) -> type[LineParser]:
    parser = format_named(name).parser
    assert isinstance(parser, type)
    assert issubclass(parser, LineParser)
    return parser


@pytest.mark.parametrize("name", SHARED)
def test_what_others_print_too_is_no_proof_of_a_format(name: str) -> None:
    log_format, parser, lines = format_named(name), parser_of(name), SHARED[name]
    found = [match[0] for line in lines if (match := parser.match(line)) is not None]
    assert found == [kind for kind in parser.kinds() if kind in found], (
        "one line of each kind, in the format's order"
    )
    assert found == [kind for kind in parser.kinds() if not kind.distinctive]
    assert len(found) == len(lines)
    assert log_format.is_distinctive is not None
    assert not any(map(log_format.is_distinctive, lines))
    assert recognise([*lines] * 9, [log_format]).format is None


def test_every_format_that_reads_what_others_print_is_listed() -> None:
    parsers = {one.name: one.parser for one in all_formats() if isinstance(one.parser, type)}
    kinds = {name: one.kinds() for name, one in parsers.items() if issubclass(one, LineParser)}
    assert len(kinds) > 70
    assert {name for name, each in kinds.items() if not all(kind.distinctive for kind in each)} == {*SHARED}


@pytest.mark.parametrize(("log_format", "one"), EXAMPLES, ids=IDS)
def test_one_line_of_its_own_among_what_others_print_is_proof(log_format, one) -> None:
    lines = one.log.strip("\n").split("\n")
    assert recognise(lines, [log_format]).format is log_format
    shared = [
        line for line in lines if log_format.is_distinctive is not None and not log_format.is_distinctive(line)
    ]
    assert recognise(shared, [log_format]).format is None


STAMPS = (
    "2022/08/21 13:4{}:52 ",
    "[21/08/2022 13:4{}:52] ",
    "08/21/22, 13:4{}:52.125: ",
    "[2022.08.21 13:4{}:52] ",
    "08/21 13:4{}:52 ",
)


def counted(lines: list[str]) -> list[tuple[int, float | None]]:
    """The iterations that are read of a whole log, whichever format it is found to have."""
    found: list[Iteration] = []
    reader = LogReader()
    for event in [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]:
        found += event if isinstance(event, Iterations) else [event] if isinstance(event, Iteration) else []
    return [(one.index, one.loss) for one in found]


def stamped(lines: list[str], stamp: str) -> list[str]:
    return [stamp.format(number % 10) + line for number, line in enumerate(lines)]


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize(("log_format", "one"), EXAMPLES, ids=IDS)
def test_a_stamp_in_front_of_each_line_is_no_obstacle_and_no_count(log_format, one, stamp) -> None:
    if log_format.name in (*TEXTLESS, *FILES):
        return
    lines = one.log.strip("\n").split("\n")
    assert counted(stamped(lines, stamp)) == counted(lines)


@pytest.mark.parametrize("stamp", [*STAMPS, "8/21/2022 1:4{}:52 PM ", "8/21 13:4{} ", "node-3 at 8/21 13:4{}:52 "])
@pytest.mark.parametrize(
    "said", ["the data is loaded", "found: 0.5", "losses: [0.5] last: 0.25", "- loss: 0.5 - acc: 0.5"]
)
def test_a_date_and_a_time_of_day_count_nothing(said, stamp) -> None:
    assert counted(stamped([said] * 40, stamp)) == []
