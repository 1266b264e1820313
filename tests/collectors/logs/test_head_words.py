"""What one line of a head says of a run, and what it only seems to say."""

import re

import pytest
from hypothesis import given
from hypothesis.strategies import from_regex

from itermon.collectors.logs.head_words import GPU, MAY_NAME_GPU, words
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("GPU Available: []", {"device": "cpu"}),
        ("Setup(lr=0.1, device=device(type='cpu'))", {"device": "cpu"}),
        ("device = torch.device('cuda', index=0)", {"device": "cuda"}),
        ("Device:            mps", {"device": "mps"}),
        ("Num GPUs Available:  0", {"device": "cpu"}),
        ("cuda_is_available = False", {"device": "cpu"}),
        ("No GPU was found, falling back to CPU", {"device": "cpu"}),
        ("This run has no GPU support. Will run in CPU only mode.", {"device": "cpu"}),
        ("Num GPUs Available: 2", {}),
        ("GPU available: 0", {}),  # the first one
        ("Using device: mps", {"device": "mps"}),
        ("Starting training — 50 epochs, batch=256", {"epochs": 50}),
        ("I0603 04:24:33.434226   822 caffe.cpp:279] Use CPU.", {"device": "cpu"}),
        ("Training for 20 epochs", {"epochs": 20}),
        ("Samples: 9000, training epoch: 20.", {"epochs": 20}),
        ("Training epoch: 20", {}),  # the head of one
        ("Pre-training for 20 epochs", {}),
        ("world_size=8", {"world_size": 8}),
        ("| distributed init (rank 0), World Size: 16", {"world_size": 16}),
        ("  world_size ..................... 24", {"world_size": 24}),
        ("=> Let's use 8 GPUs!", {"gpus": 8}),
        ("Running on 4x NVIDIA A100-SXM4-80GB", {"gpus": 4, "gpu_name": "NVIDIA A100-SXM4-80GB"}),
        ("device: cuda:0 (Tesla T4)", {"gpu_name": "Tesla T4", "device": "cuda"}),
        ("CUDA device 0: [GeForce GTX 1050 Ti]; cc: [6.1]", {"gpu_name": "GeForce GTX 1050 Ti"}),
        (
            "|   3  NVIDIA A100-SXM4-80GB          On  | 00000000:CB:00.0 Off |",
            {"gpu_name": "NVIDIA A100-SXM4-80GB"},
        ),
        ("GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0)", {"gpu_name": "NVIDIA H100 80GB HBM3"}),
        (
            "Created device 0 with properties: name: Tesla V100-SXM2-16GB major: 7",
            {"gpu_name": "Tesla V100-SXM2-16GB"},
        ),
        (
            "   |/    NVIDIA GeForce RTX 3090. Num GPUs = 1. Max memory: 23.6 GB. Platform: Linux.",
            {"gpu_name": "NVIDIA GeForce RTX 3090", "gpus": 1},
        ),
        (
            "rank   0: capabilities =  7.0  ; total memory = 31.7 GB ; name = Tesla V100-SXM2-32GB            ",
            {"gpu_name": "Tesla V100-SXM2-32GB"},
        ),
        ("Using device TPU v3-8", {"gpu_name": "TPU v3-8"}),
        ("number of parameters: 124.4M", {"parameters": 124_400_000}),
        ("INFO - Total params: 11,689,512", {"parameters": 11_689_512}),
        ("Model (params: 4.5M)", {"parameters": 4_500_000}),
        ("#Params: 0.5 B", {"parameters": 500_000_000}),
        ("#Params: 500k", {"parameters": 500_000}),
        ("#Params: 3 million", {"parameters": 3_000_000}),
        ("#Params: 3 billion", {"parameters": 3_000_000_000}),
        ("#Params: 2G", {"parameters": 2_000_000_000}),
        ("Tokens / optimizer step : 65,536", {"tokens_per_iteration": 65_536}),
        ("batch_size: 1", {"batch_size": 1}),
        ("trainBatchSize: 16", {"batch_size": 16}),
        ("total train batch size (w. parallel, distributed & accumulation) = 64", {"global_batch_size": 64}),
        ("The model has 3,457 parameters", {"parameters": 3_457}),
        ("Model set up with 3,457 trainable parameters", {"trained_parameters": 3_457}),
        ("GPU 0                            NVIDIA RTX A6000 (arch=8.6)", {"gpu_name": "NVIDIA RTX A6000"}),
        ("GPU 0,1,2                        Tesla V100-SXM2-16GB (arch=7.0)", {"gpu_name": "Tesla V100-SXM2-16GB"}),
        ("GPU 0: Tesla K80m", {"gpu_name": "Tesla K80m"}),
        ("GPU 0,1: GeForce GTX 1070", {"gpu_name": "GeForce GTX 1070"}),
        ("GeForce GTX 1070", {"gpu_name": "GeForce GTX 1070"}),
        ("2024-05-06 07:08:09 - INFO - NVIDIA TITAN V", {"gpu_name": "NVIDIA TITAN V"}),
        ("Graphics card: ['Tesla T4']", {"gpu_name": "Tesla T4"}),
        ("[1] NVIDIA RTX A6000 | 41'C,  30 % |  1200 / 49140 MB | me(1190M)", {"gpu_name": "NVIDIA RTX A6000"}),
        (
            "trainable params: 4,096 || all params: 1,048,576 || trainable%: 0.39",
            {"trained_parameters": 4_096, "parameters": 1_048_576},
        ),
        (
            "Namespace(lr=0.1, batch_size=32, epochs=9, block_size=256, amp=True)",
            {"batch_size": 32, "epochs": 9, "block_size": 256},
        ),
        (
            "python train.py --batch-size 64 --max-steps 5000 --bf16 True",
            {"batch_size": 64, "max_iterations": 5_000, "precision": "bf16"},
        ),
        ("{'batch_size': 32, 'max_seq_len': 512}", {"batch_size": 32, "max_sequence_length": 512}),
        ("| batch_size | 20 |", {"batch_size": 20}),
        ("batch_size     :\t20", {"batch_size": 20}),
        ("Instantaneous batch size per device = 4", {"micro_batch_size": 4}),
        ("Batch size (per GPU): 16", {"micro_batch_size": 16}),
        ("train_micro_batch_size_per_gpu  48", {"micro_batch_size": 48}),
        ("Gradient Accumulation steps = 8", {"gradient_accumulation": 8}),
        ("tokens per iteration will be: 491,520", {"tokens_per_iteration": 491_520}),
        ("Total optimization steps = 1,500", {"max_iterations": 1_500}),
        ("dtype: bfloat16", {"precision": "bf16"}),
        ("Using bfloat16 Automatic Mixed Precision (AMP)", {"precision": "bf16"}),
        ("training.batch_size: 12", {"batch_size": 12}),
        ("125 iterations per epoch. 12500 max iterations ", {"steps_per_epoch": 125, "max_iterations": 12500}),
        ("GPU available: NVIDIA GeForce RTX 4060 Laptop GPU", {"gpu_name": "NVIDIA GeForce RTX 4060 Laptop GPU"}),
        ("Device - now: 1 Name: Tesla P100 in use: no", {"gpu_name": "Tesla P100"}),
        ("GPU 1: GeForce GTX TITAN X", {"gpu_name": "GeForce GTX TITAN X"}),
        ("GPU 1: GeForce GTX TITAN Black", {"gpu_name": "GeForce GTX TITAN Black"}),
        ("Using device: GeForce GTX TITAN Z, 6 GB", {"gpu_name": "GeForce GTX TITAN Z"}),
        ("GPU: TITAN X (Pascal)", {"gpu_name": "TITAN X (Pascal)"}),
        ("GPU: NVIDIA TITAN V", {"gpu_name": "NVIDIA TITAN V"}),
        ("GPU: GeForce GTX 1060 3GB", {"gpu_name": "GeForce GTX 1060 3GB"}),
        ("GPU: NVIDIA GeForce RTX 4090 D", {"gpu_name": "NVIDIA GeForce RTX 4090 D"}),
        ("GPU: GeForce RTX 2060 with Max-Q Design", {"gpu_name": "GeForce RTX 2060 with Max-Q Design"}),
        ("GPU 2 (NVIDIA GeForce GTX 1080 Ti):", {"gpu_name": "NVIDIA GeForce GTX 1080 Ti"}),
        ("Total number of CUDA devices:  3", {"gpus": 3}),
        ("Using cpu device", {"device": "cpu"}),
        ("Training started on cpu...", {"device": "cpu"}),
        ("Use CPU.", {"device": "cpu"}),
        ("Namespace(no_cuda=True, lr=0.1)", {"device": "cpu"}),
        ("{'use_gpu': False, 'num_epoch': 30, 'lr': 0.1}", {"device": "cpu", "epochs": 30}),
        ("Namespace(lr=0.1, epoches=30)", {"epochs": 30}),
        ("Asked for: 9.0/16 CPUs, 0/0 GPUs", {"device": "cpu"}),
        ("IMS_PER_BATCH: 4", {"global_batch_size": 4}),
        ("train_batch = 8", {"batch_size": 8}),
        (
            "device_train_microbatch_size=6, device_train_grad_accum=2",
            {"micro_batch_size": 6, "gradient_accumulation": 2},
        ),
        ("Total epochs: 30; iters: 2700.", {"epochs": 30, "max_iterations": 2_700}),
        ("Require iter number per epoch: 90", {"steps_per_epoch": 90}),
        ("1,250 steps in each epoch; 5000 total steps", {"steps_per_epoch": 1250, "max_iterations": 5000}),
    ],
)
def test_a_setting_is_read_by_its_name_however_it_is_printed(line: str, said: dict[str, object]) -> None:
    assert dict(words(line)) == said


@pytest.mark.parametrize(
    "line",
    [
        "gpu: 0",
        "Recommended hardware: NVIDIA A100",
        "Speed on one NVIDIA A100",
        "The NVIDIA GeForce RTX 3090 is faster | 12.5",
        "    loader = Loader(records, batch_size=1)",  # code that a warning quotes
        "model.fit(x, y, batch_size=32, epochs=9)",
        "OddWarning: too large; try batch_size=4",
        "usage: train.py [-h] [--batch-size 16]",
        "For example: --batch_size 8 --epochs 3",
        "You can set max_steps=100 to stop early",
        "9/16 CPUs, 0/4 GPUs",  # of this trial
        "use_gpu: True",
        "no_cuda=False",
        "it trains on cpu cores",
        "gpus='0,1'",
        "n_gpu: 1, distributed training: True",  # of this process
        "num_gpus: 0",
        "amp: True",  # bf16 or fp16
        "fp16: False",
        "fp16_lm_cross_entropy ....... False",
        '  "torch_dtype": "bfloat16",',  # of the checkpoint's file
        "test batch size: 1000",
        "eval_batch_size: 8",
        "dp_world_size=4",
        "batch_size=[16, 32]",
        "batch_size = 16 * 4",
        "batch_size: 0.5",
        "batch_size: 0",
        f"batch_size: {2**53}",
        "batch_size16",
        "old batch_size: 16",
        "batch size 32 GB",
        "max_steps: -1",
        "bf16 is faster on an NVIDIA A100: see the manual",
        "parameters count: 246",
        "encoder parameters: 5,000,000",  # of a part
        "Params size (MB): 44.5",
        "Non-trainable params: 640",
        "aio_config ...... {'block_size': 1048576}",
        "optimizer.max_steps: 3",
        "    return load(batch_size=8)",
        "step 10 loss: 2.5 batch_size: 8",
        "12 of 30 epochs, epoch 3/30",
        "tokens per step: 0.5M",  # rounded
        "Epochs 3 per GPU: 2 x 4",
        "      (act): PReLU(num_parameters=1)",
    ],
)
def test_a_word_that_may_mean_something_else_says_nothing(line: str) -> None:
    assert {f: v for f, v in words(line) if f != "epochs" and (f, v) != ("device", "cuda")} == {}


def test_a_hostile_line_is_read_in_milliseconds() -> None:
    for piece in ("{", "batch_size ", "1,", "gpu NVIDIA ", ". "):
        assert list(words(piece * (100_000 // len(piece)))) == []


def test_of_a_line_eight_thousand_characters_are_read() -> None:
    assert dict(words("batch_size: 16".rjust(8_000))) == {"batch_size": 16}
    assert dict(words("batch_size: 16 ".rjust(8_002))) == {"batch_size": 1}


@given(from_regex(re.compile(GPU, re.ASCII), fullmatch=True))
def test_lines_that_name_a_gpu_are_looked_at_behind_the_first_iteration_too(name: str) -> None:
    assert MAY_NAME_GPU.search(name)


def test_options_printed_as_a_dictionary_behind_a_loggers_name_are_the_runs() -> None:
    line = "INFO:root:{'batch_size': 63, 'lr': 0.001, 'epochs': 100, 'cuda': False}"
    assert {("batch_size", 63), ("epochs", 100)} <= {*words(line)}
    assert ("epochs", 1000) in {*words("Namespace(data='c', embed_dim=256, epoches=1000)")}


def test_how_many_epochs_a_finished_trial_had_says_nothing_of_the_next_one() -> None:
    trial = "[I 2026-02-03 04:05:06,708] Trial 4 finished with value: 0.83 and parameters: {'num_epochs': 50}.\n"
    rows = "".join(f"Epoch {n}, Loss: 0.{90 - n}, Val Loss: 0.5{n}\n" for n in range(1, 31))
    configs = [one for one in LogReader().feed(f"{trial}{rows}".encode()) if isinstance(one, Config)]
    assert {one.max_iterations for one in configs} <= {None}
