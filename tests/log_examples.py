"""A small log of each format, made here, with what is to be read of it; and ways to read one."""

from itermon.collectors.log_formats.registry import all_formats
from itermon.events import Iteration


def read(name, text):
    (found,) = [one for one in all_formats() if one.name == name]
    parser = found.parser()
    return [event for line in text.strip("\n").split("\n") for event in parser.line(line, None)]


def iterations(events):
    return [event for event in events if isinstance(event, Iteration)]


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


# name of the format, the log, and per iteration: index, seconds (None: the log has no time), how many it averages, loss
EXAMPLES = {
    "build-nanogpt": (
        "build-nanogpt",
        """
total desired batch size: 524288
=> calculated gradient accumulation steps: 8
validation loss: 10.9502
step     0 | loss: 10.955029 | lr 8.3916e-07 | norm: 15.36 | dt: 9021.50ms | tok/sec: 58115.20
step     1 | loss: 10.921300 | lr 1.6783e-06 | norm: 14.90 | dt: 382.25ms | tok/sec: 1371585.61
""",
        [(0, 9.0215, 1, 10.955029), (1, 0.38225, 1, 10.9213)],
    ),
    "build-nanogpt without learning rate": (
        "build-nanogpt",
        "step    5 | loss: 6.51 | dt: 92.50ms | tok/sec: 177124.0\nstep 6, loss: 6.40, dt: 93.50ms, tok/sec: 175229.0",
        [(5, 0.0925, 1, 6.51), (6, 0.0935, 1, 6.40)],
    ),
    "build-nanogpt log.txt": (
        "build-nanogpt log.txt",
        "0 val 10.95\n0 hella 0.2463\n0 train 10.955029\n1 train 10.5",
        [(0, None, 1, 10.955029), (1, None, 1, 10.5)],
    ),
    "llm.c": (
        "llm.c",
        """
| micro batch size B    | 64                                                 |
| peak TFlops           | -1.0                                               |
val loss 11.01
step    1/18865 | loss 11.009 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | 550.50 ms | -100.0% bf16 MFU | 952400 tok/s
step    2/18865 | loss nan (+nanz)| norm 14.1 (+nanz)| lr 1.71e-06 | 338.25 ms | 47.5% bf16 MFU | 1550000 tok/s
""",
        [(1, 0.5505, 1, 11.009), (2, 0.33825, 1, None)],
    ),
    "llm.c of spring 2024": (
        "llm.c",
        "step    1/74 | train loss 4.370 | norm 13.1 | lr 3.00e-04 | (104.51 ms | 39190 tok/s)\n"
        "step    2/74: train loss 4.50 (acc 4.50) (30.25 ms, 135383 tok/s)",
        [(1, 0.10451, 1, 4.370), (2, 0.03025, 1, 4.50)],
    ),
    "llm.c main.log": (
        "llm.c main.log",
        "s:0 tel:11.0095\ns:0 trl:11.0116 lr:0.000001 norm:14.96\ns:1 trl:10.9586 lr:0.000002 norm:15.18",
        [(0, None, 1, 11.0116), (1, None, 1, 10.9586)],
    ),
    "modded-nanogpt": (
        "modded-nanogpt",
        """
        print0(f"step:{step}/{args.num_iterations} val_loss:{val_loss:.4f} train_time:{t}ms step_avg:{a}ms")
step:0/1390 val_loss:10.8258 train_time:0ms step_avg:nanms
step:1/1390 train_time:24000ms step_avg:nanms
step:10/1390 train_time:26500ms step_avg:nanms
step:11/1390 train_time:140ms step_avg:nanms
step:12/1390 train_time:290ms step_avg:145.00ms
step:12/1390 val_loss:7.5 train_time:300ms step_avg:150.00ms
step:13/1390 train_loss:7.25 train_time:450ms step_avg:150.00ms
""",
        [(1, 24.0, 1, None), (10, 2.5 / 9, 9, None), (11, None, 1, None), (12, 0.150, 1, None), (13, 0.150, 1, 7.25)],
    ),
    "modded-nanogpt in seconds": (
        "modded-nanogpt",
        "step:7/4875 train_time:1.250s step_avg:178.57ms\nstep:8/4875 train_time:1.400s step_avg:175.00ms",
        [(7, None, 1, None), (8, 0.150, 1, None)],
    ),
    "modded-nanogpt with validations only": (
        "modded-nanogpt",
        """
step:0/3225 val_loss:10.82584 train_time:0.000s step_avg:0.03ms
step:125/3225 val_loss:4.31234 val_ema_loss:4.25 train_time:19.500s step_avg:156.00ms
step:150/3225 val_loss:4.01234 train_time:23.500s step_avg:156.67ms
""",
        [(125, 0.156, 125, None), (150, 0.160, 25, None)],
    ),
    "modded-nanogpt main.log": (
        "modded-nanogpt main.log",
        "s:0 tel:10.968871\ns:0 trl:10.965596\ns:1 trl:10.814037",
        [(0, None, 1, 10.965596), (1, None, 1, 10.814037)],
    ),
    "nanochat": (
        "nanochat",
        """
Total batch size 524,288 => gradient accumulation steps: 2
Step 00000 | Validation bpb: 3.3015
step 00000/21400 (0.00%) | loss: 11.09 | lrm: 1.00 | dt: 1828.50ms | tok/sec: 14,336 | mfu: 2.53 | total time: 0.00m
step 00001/21400 (0.00%) | loss: 10.80 | grad norm: 0.1651 | lrm: 1.00 | dt: 874.25ms | tok/sec: 299,799 | mfu: 52.92
step 00002/21400 (0.01%) | loss: 10.10 | lrm: 1.00 | dt: 33.50ms | tok/sec: 15,511 | bf16_mfu: 1.17 | epoch: 1 pq: 0
""",
        [(0, 1.8285, 1, 11.09), (1, 0.87425, 1, 10.80), (2, 0.0335, 1, 10.10)],
    ),
    "nanochat fine-tuning of 2025": (
        "nanochat",
        "Step 00010/00682 | Training loss: 0.585979| lrm: 0.985337| num_tokens: 11,787",
        [(10, None, 1, 0.585979)],
    ),
    "nanochat's fork": (
        "nanochat",
        "[2026-01-05 10:11:12] step 00250 | loss 4.5 | lrm 1.00 | dt_ms 949.50",
        [(250, 0.9495, 1, 4.5)],
    ),
    "minGPT": (
        "minGPT",
        "iter_dt 0.00ms; iter 0: train loss 4.18694\niter_dt 17397.50ms; iter 10: train loss 3.02059",
        [(0, None, 1, 4.18694), (10, 17.3975, 1, 3.02059)],
    ),
    "torchtitan": (
        "torchtitan",
        """
[rank0]:[titan] 2025-06-25 13:06:00,500 - root - INFO - step: 440  loss:  5.2  memory: 49.66GiB(52.28%)  tps: 5,868
[rank0]:[titan] 2025-06-25 13:06:10,500 - root - INFO - [GC] Peforming periodical GC collection. 0.12 seconds.
[rank0]:[titan] 2025-06-25 13:06:15,500 - root - INFO - step: 450  loss:  5.1  grad_norm:  1.5  memory: 49.66GiB(52.28%)  tps: 5,858  tflops: 339.25  mfu: 34.50%
[rank0]:[titan] 2025-06-25 13:06:16,500 - root - INFO - step: 451  loss:  nan  memory: 49.66GiB(52.28%)  tps: 5,858  tflops: 339.25  mfu: N/A
""",
        [(440, None, 1, 5.2), (450, 1.5, 10, 5.1), (451, 1.0, 1, None)],
    ),
    "Megatron-LM": (
        "Megatron-LM",
        """
 [2024-04-06 02:59:00] iteration        1/     100 | consumed samples: 128 | elapsed time per iteration (ms): 30000.0 | learning rate: 2.0E-07 | lm loss: 9.0E+00 | grad norm: 1.4 | number of nan iterations:   0 |
 [2024-04-06 02:59:36] iteration       10/     100 | consumed samples: 1280 | elapsed time per iteration (ms): 7500.0 | learning rate: 2.0E-06 | global batch size:   128 | lm loss: 8.5E+00 |
[default7]: [2024-04-06 03:00:36] iteration       20/     100 | consumed samples: 2560 | elapsed time per iteration (ms): 5000.0 | throughput per GPU (TFLOP/s/GPU): 239.8 | lm loss: 7.5E+00 |
""",
        [(1, 30.0, 1, 9.0), (10, 5.0, 9, 8.5), (20, 5.0, 10, 7.5)],
    ),
    "Megatron-DeepSpeed in seconds": (
        "Megatron-DeepSpeed",
        "[default7]: iteration    12695/  115311 | consumed samples:      9841584 | elapsed time per iteration (s): 105.25"
        " | learning rate: 5.9E-05 | global batch size:  2048 | lm loss: 2.5E+00 | samples per second: 19.4 |",
        [(12695, 105.25, 1, 2.5)],
    ),
    "GPT-NeoX": (
        "Megatron-DeepSpeed",
        " samples/sec: 187.504 | iteration       10/  320000 | elapsed time per iteration (ms): 5461.5 | learning rate:"
        " 3.0E-06 | approx flops per GPU: 50.1TFLOPS | lm_loss: 9.5E+00 | loss scale: 4096.0 |\n"
        " samples/sec: 187.504 | iteration       20/  320000 | elapsed time per iteration (ms): 5461.5 | lm_loss: 9.0 |",
        [(10, 5.4615, 1, 9.5), (20, 5.4615, 10, 9.0)],
    ),
    "Hugging Face Trainer": (
        "Hugging Face Trainer",
        """
***** Running training *****
  Num Epochs = 3
  Instantaneous batch size per device = 4
  Total optimization steps = 40
  0%|          | 0/40 [00:00<?, ?it/s]
  2%|▎         | 1/40 [00:02<01:18,  2.00s/it]
  5%|▌         | 2/40 [00:04<01:16,  2.00s/it]
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.15}
  8%|▊         | 3/40 [00:13<03:09,  5.20s/it]
 10%|█         | 4/40 [00:15<02:32,  3.93s/it]
{'loss': '2.25', 'grad_norm': '0.5', 'learning_rate': '1e-05', 'epoch': '0.3'}
 12%|█▎        | 5/40 [00:17<02:00,  3.24s/it]
""",
        [(1, 2.0, 1, None), (2, 2.0, 1, None), (3, 9.0, 1, 2.5), (4, 2.0, 1, None), (5, 2.0, 1, 2.25)],
    ),
    "Hugging Face Trainer, each step drawn before and after its dictionary": (
        "Hugging Face Trainer",
        """
 10%|█         | 1/10 [00:02<00:18,  2.00s/it]
{'loss': 3.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.1}
 10%|█         | 1/10 [00:02<00:18,  2.00s/it]
 20%|██        | 2/10 [00:04<00:16,  2.00s/it]
 30%|███       | 3/10 [00:06<00:14,  2.00s/it]
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.3}
 30%|███       | 3/10 [00:06<00:14,  2.00s/it]
 40%|████      | 4/10 [00:08<00:12,  2.00s/it]
 60%|██████    | 6/10 [00:12<00:08,  2.00s/it]
{'loss': 2.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.6}
 60%|██████    | 6/10 [00:12<00:08,  2.00s/it]
 60%|██████    | 6/10 [00:15<00:08,  2.00s/it]
{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.9}
 90%|█████████ | 9/10 [00:18<00:02,  2.00s/it]
""",
        [(1, 2.0, 1, 3.0), (2, 2.0, 1, None), (3, 2.0, 1, 2.5), (4, 2.0, 1, None), (6, 2.0, 2, 2.0), (9, 2.0, 3, 1.5)],
    ),
    "NeMo": (
        "NeMo",
        """
Training epoch 0, iteration 0/249 | lr: 1.961e-06 | global_batch_size: 8 | global_step: 0 | reduced_train_loss: 1.315 | train_step_timing in s: 7.125
Training epoch 0, iteration 1/249 | lr: 3.922e-06 | global_batch_size: 8 | global_step: 1 | reduced_train_loss: 1.653 | train_step_timing in s: 2.5 | consumed_samples: 16
""",
        [(0, 7.125, 1, 1.315), (1, 2.5, 1, 1.653)],
    ),
    "verl under NumPy 2": (
        "verl",
        "step:5 - actor/pg_loss:np.float64(0.25) - actor/lr:np.float64(1e-06) - perf/total_num_tokens:649698 - timing_s/step:192.5",
        [(5, 192.5, 1, 0.25)],
    ),
    "an epoch's heading in PyTorch's tutorial": (
        "key: value",
        "Epoch 0/24\n----------\ntrain Loss: 0.75 Acc: 0.5\nval Loss: 0.5 Acc: 0.75\n\nEpoch 1/24\n----------\ntrain Loss: 0.5 Acc: 0.75",
        [(0, None, 1, 0.75), (1, None, 1, 0.5)],
    ),
    "NeMo's bar": (
        "NeMo",
        """
Epoch 0: :  50%|█████     | 1000/2000 [06:19<07:13, v_num=gjbq, reduced_train_loss=11.50, global_step=999.0, consumed_samples=1e+6, train_step_timing in s=12.50]
Epoch 0: :  50%|█████     | 1001/2000 [06:32<07:00, v_num=gjbq, reduced_train_loss=11.25, global_step=1e+3, consumed_samples=1e+6, train_step_timing in s=12.75]
""",
        [(999, 12.5, 1, 11.5), (1000, 12.75, 1, 11.25)],
    ),
    "OLMo-core": (
        "OLMo",
        """
2025-08-08 12:01:00 INFO [olmo_core.train.callbacks.console_logger:68] [step=900/2,000,epoch=1,eta=5h11m]
    optim/LR=0.0003
    optim/total grad norm=0.5
    throughput/device/TPS=12,345
    train/CE loss=6.25
2025-08-08 12:03:20 INFO [olmo_core.train.callbacks.console_logger:68] [step=1,000/2,000,epoch=1,eta=5h9m]
    train/CE loss=6.0
""",
        [(900, None, 1, 6.25), (1000, 1.4, 100, 6.0)],
    ),
    "fairseq under Hydra": (
        "fairseq",
        """
[2022-04-08 18:48:05,372][train_inner][INFO] - {"epoch": 1, "loss": "9.25", "wps": "50000", "wpb": "100000", "num_updates": "200", "wall": "425"}
[2022-04-08 18:54:45,183][train_inner][INFO] - {"epoch": 1, "loss": "6.75", "wps": "50000", "wpb": "100000", "num_updates": "400", "wall": "925"}
[2022-04-08 18:58:04,035][valid][INFO] - {"epoch": 1, "valid_loss": "6.5", "valid_num_updates": "479"}
""",
        [(200, 2.0, 1, 9.25), (400, 2.5, 200, 6.75)],
    ),
    "Keras 3, whose last frame is drawn again with the validation": (
        "Keras",
        """
Epoch 1/2
100/100 ━━━━━━━━━━━━━━━━━━━━ 0s 52ms/step - accuracy: 0.50 - loss: 2.0
100/100 ━━━━━━━━━━━━━━━━━━━━ 6s 60ms/step - accuracy: 0.50 - loss: 1.9 - val_accuracy: 0.50 - val_loss: 1.8
Epoch 2/2
100/100 ━━━━━━━━━━━━━━━━━━━━ 0s 50ms/step - accuracy: 0.60 - loss: 1.5
100/100 ━━━━━━━━━━━━━━━━━━━━ 6s 58ms/step - accuracy: 0.60 - loss: 1.4 - val_accuracy: 0.60 - val_loss: 1.3
""",
        [(100, 0.052, 100, 2.0), (200, 0.050, 100, 1.5)],
    ),
    "Ultralytics results.csv of YOLOv8": (
        "Ultralytics results.csv",
        """
                  epoch,         train/box_loss,         train/cls_loss,   metrics/recall(B),           val/box_loss,                 lr/pg0
                      1,                 1.25,                 2.5,                 0.5,                 1.5,                 0.0003
                      2,                 1.0,                  2.0,                 0.6,                 1.4,                 0.0002
""",
        [(1, None, 1, 3.75), (2, None, 1, 3.0)],
    ),
    "Ultralytics results.csv with its time": (
        "Ultralytics results.csv",
        "epoch,time,train/loss,metrics/accuracy_top1,val/loss,lr/pg0\n1,14.5,1.25,0.5,1.5,0.0003\n2,28.0,1.0,0.6,1.4,0.0002",
        [(1, None, 1, 1.25), (2, 13.5, 1, 1.0)],
    ),
    "Megatron with its time in the line": (
        "Megatron-DeepSpeed",
        " iteration        5/   30000 | current time: 1706860208.35 | consumed samples:           16 | elapsed time per iteration (ms): 1996.5"
        " | learning rate: 1.000E-04 | global batch size:    16 | lm loss: 8.5E+00 | grad norm: 1.2 |",
        [(5, 1.9965, 1, 8.5)],
    ),
    "DeepSpeed": (
        "DeepSpeed",
        """
[2023-04-18 01:46:50,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.6e-06, 9.6e-06], mom=[(0.9, 0.95)]
[2023-04-18 01:46:50,010] [INFO] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.4, CurrSamplesPerSec=171.9, MemAllocated=3.96GB, MaxMemAllocated=22.95GB
[2023-04-18 01:46:57,500] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=6, lr=[9.6e-06, 9.6e-06], mom=[(0.9, 0.95)]
""",
        [(10, None, 1, None), (20, 0.75, 10, None)],
    ),
    "DeepSpeed-Chat's RLHF": (
        "DeepSpeed",
        "epoch: 0|step: 0|ppo_ep: 1|act_loss: 0.21|cri_loss: 0.12|unsuper_loss: 0.0\n"
        "[2023-04-18 01:46:50,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.6e-06], mom=[(0.9, 0.95)]\n"
        "epoch: 0|step: 1|ppo_ep: 1|act_loss: 0.2|cri_loss: 0.1|unsuper_loss: 0.0",
        [(0, None, 1, 0.21), (1, None, 1, 0.2)],
    ),
    "OLMo": (
        "OLMo",
        """
[2024-04-18 14:24:11] INFO     [olmo.train:729, rank=0] [step=1/739328]
    optim/total_grad_norm=231.7
    train/CrossEntropyLoss=11.31
    throughput/total_tokens=4,194,304
2024-04-18 14:24:46.500 host-1:0  olmo.train:908  INFO    [step=2/739328,epoch=0]
    train/CrossEntropyLoss=10.88
    throughput/device/tokens_per_second=7,456
""",
        [(1, None, 1, 11.31), (2, 35.5, 1, 10.88)],
    ),
    "Composer": (
        "Composer",
        "[batch=1/100]:\n\t Train time/batch: 0\n\t Train loss/train/total: 10.5\n[epoch=0/1][batch=2/100]:\n\t Train loss/train/total: 10.25\n\t Eval metrics/eval/Accuracy: 0.5",
        [(1, None, 1, 10.5), (2, None, 1, 10.25)],
    ),
    "litgpt": (
        "litgpt",
        "Epoch 1 | iter 3 step 1 | loss train: 1.687, val: n/a | iter time: 300.25 ms\n"
        "Epoch 1 | iter 4 step 2 | loss train: 1.5, val: 2.861 | iter time: 595.25 ms (step) remaining time: 0:01:54\n"
        "Epoch 0 | iter  69 step  69 | loss train: 26.5, val_loss valid: 13.879 | iter time: 38.875 s (step)",
        [(3, 0.30025, 1, 1.687), (4, 0.59525, 1, 1.5), (69, 38.875, 1, 26.5)],
    ),
    "lit-gpt of 2023 and 2024": (
        "litgpt",
        "iter 77 step 39: loss 10.5, iter time: 214.25ms (optimizer.step)\niter 80: val loss 1.7258, val time: 3778.02 ms\n"
        "iter 4840 | step 605: loss 0.25, iter time: 153.25 ms (optimizer.step)",
        [(77, 0.21425, 1, 10.5), (4840, 0.15325, 1, 0.25)],
    ),
    "fairseq": (
        "fairseq",
        """
2021-03-08 12:00:00 | INFO | train_inner | {"epoch": 1, "update": 0.0, "loss": "16.5", "wps": "0", "ups": "0", "wpb": "16384", "bsz": "8", "num_updates": "1", "lr": "2e-05", "gnorm": "20.7", "train_wall": "99", "wall": "105"}
2021-03-08 12:01:00 | INFO | train_inner | {"epoch": 1, "update": 0.1, "loss": "15.5", "wps": "273.1", "ups": "0.02", "wpb": "16384", "bsz": "8", "num_updates": "11", "lr": "4e-05", "gnorm": "19.7", "train_wall": "57", "wall": "705"}
""",
        [(1, None, 1, 16.5), (11, 60.0, 10, 15.5)],
    ),
    "fairseq of 2018": (
        "fairseq",
        "| epoch 010  7000 / 8223 loss=0.86 (1.46), wps=961, wpb=961, bsz=32, lr=0.001, clip=100%, gnorm=2.1",
        [(82230 - 8223 + 7000 + 8223, 1.0, 1, 0.86)],
    ),
    "detectron2": (
        "detectron2",
        "[04/24 19:13:26 d2.utils.events]:  eta: 1:12:01  iter: 19  total_loss: 2.125  loss_cls: 1.0  time: 0.2965  last_time: 0.3125"
        "  data_time: 0.0013  last_data_time: 0.0013   lr: 0.000225  max_mem: 2457M\n"
        "[04/24 19:13:36 d2.utils.events]:  eta: 1:12:01  iter: 39  total_loss: 2  loss_cls: 1.0  time: 0.2965  data_time: 0.0013  lr: 0.000225  max_mem: 2457M",
        [(19, 0.3125, 1, 2.125), (39, 0.2965, 1, 2.0)],
    ),
    "maskrcnn-benchmark": (
        "maskrcnn-benchmark",
        "2021-10-21 05:21:24,786 maskrcnn_benchmark.trainer INFO: eta: 1 day, 2:18:11  iter: 50  time: 0.1338 (0.2075)  data: 0.0001 (0.0466)"
        "  loss: 1.325 (2.4)  loss_classifier: 0.2 (1.0)  lr: 0.009600  max mem: 10311\n"
        "2021-10-21 05:21:31,683 maskrcnn_benchmark.trainer INFO: eta: 1:54:52  iter: 100  loss: 1.4 (1.8)  loss_mask: 0.6 (0.7)  time: 0.1421 (0.1727)  data: 0.0001 (0.0257)  lr: 0.0192  max mem: 10311",
        [(50, 0.1338, 1, 1.325), (100, 0.1421, 1, 1.4)],
    ),
    "mmengine": (
        "OpenMMLab",
        """
2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)   [1][ 50/100]  base_lr: 1.0e-02 lr: 1.0e-02  eta: 1 day, 0:10:00  time: 0.5000  data_time: 0.0100  memory: 5000  grad_norm: 1.5  loss: 0.40  loss_cls: 0.1
2023/05/01 12:01:00 - mmengine - INFO - Epoch(val)   [1][10/25]    eta: 0:00:01  time: 0.0500  data_time: 0.0100  memory: 900
2023/05/01 12:01:00 - mmengine - INFO - Epoch(train)   [2][ 50/100]  lr: 1.0e-02  eta: 0:10:00  time: 0.2500  data_time: 0.0100  memory: 5000  loss: 0.30
""",
        [(50, 0.5, 1, 0.4), (150, 0.25, 100, 0.3)],
    ),
    "mmcv": (
        "OpenMMLab",
        "2021-12-14 19:57:26,847 - mmseg - INFO - Epoch [1][50/100]\tlr: 1.000e-02, eta: 1 day, 1:52:14, time: 1.865, data_time: 1.706, memory: 12561, decode.loss_ce: 0.2194, loss: 0.4006\n"
        "2021-12-14 19:58:35,366 - mmseg - INFO - Epoch [1][100/100]\tlr: 1.000e-02, eta: 22:25:12, time: 1.370, data_time: 1.253, memory: 12561, loss: 0.1936",
        [(50, 1.865, 1, 0.4006), (100, 1.37, 50, 0.1936)],
    ),
    "mmcv by iterations": (
        "OpenMMLab",
        "2021-12-14 19:57:26,847 - mmseg - INFO - Iter [50/80000]\tlr: 1.000e-02, eta: 6:00:00, time: 0.265, data_time: 0.006, memory: 12561, loss: 0.4",
        [(50, 0.265, 1, 0.4)],
    ),
    "timm": (
        "timm",
        "Train: 0 [  50/1251 (  4%)]  Loss: 6.95 (6.96)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)\n"
        "Train: 1/300 [  50/1251 (  4%)]  Loss:  6.85 (6.86)  Time: 0.4s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)",
        [(50, 0.412, 1, 6.95), (1301, 0.4, 1, 6.85)],
    ),
    "PyTorch ImageNet example": (
        "PyTorch ImageNet example",
        "Epoch: [0][  10/5005]\tTime  0.412 ( 0.430)\tData  0.010 ( 0.020)\tLoss 6.95e+00 (6.96e+00)\tAcc@1   0.39 (  0.20)\n"
        "Epoch: [1][0/5005]\tTime 0.500 (0.500)\tData 0.400 (0.400)\tLoss 6.5 (6.5)\tPrec@1 0.39 (0.20)\nTest: [ 0/196]\tTime  1.0 ( 1.0)",
        [(10, 0.412, 1, 6.95), (5005, 0.5, 1, 6.5)],
    ),
    "GNMT": (
        "GNMT",
        "1: TRAIN [0][10/241]\tTime 0.028 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.5 (10.5)\tLR 5.610e-05\n"
        "0: TRAIN [0][10/241]\tTime 0.028 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.5 (10.5)\tLR 5.610e-05\n"
        "1: TRAIN [1][0/241]\tTime 0.025 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.0 (10.5)\tLR 5.610e-05",
        [(10, 0.028, 1, 9.5), (241, 0.025, 1, 9.0)],
    ),
    "Swin": (
        "Swin",
        "[2021-04-11 02:03:00 swin_tiny](main.py 200): INFO Train: [1/300][150/1251]\teta 0:10:00 lr 0.001000\ttime 0.4125 (0.4300)\tloss 6.5000 (6.9500)\tgrad_norm 1.5 (2.0)\tmem 11000MB",
        [(1401, 0.4125, 1, 6.5)],
    ),
    "OpenPCDet": (
        "OpenPCDet",
        "2023-01-05 16:34:49,377   INFO  Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.75 (81.7)  LR: 1.431e-04  Time cost: 00:15/01:25 [00:15/04:48]  Acc_iter 50          Data time: 0.00(0.02)  Forward time: 0.31(0.29)  Batch time: 0.3125(0.31)",
        [(50, 0.3125, 1, 36.75)],
    ),
    "torchvision MetricLogger": (
        "torchvision MetricLogger",
        """
Epoch: [0/100]  [  10/1562]  eta: 0:30:15  loss: 10.875 (10.88)  lr: 0.000000 (0.000000)  time: 1.1719  data: 0.4049  max mem: 11482
Test:  [ 0/98]  eta: 0:01:00  model_time: 0.5 (0.5)  time: 0.6  data: 0.1  max mem: 1000
Test: Total time: 0:01:01 (0.6 s / it)
Epoch: [1]  [   0/1562]  eta: 1 day, 0:30:15  lr: 0.000000  loss: 9.5 (9.5)  time: 1.25  data: 0.4049
""",
        [(10, 1.1719, 1, 10.875), (1562, 1.25, 1, 9.5)],
    ),
    "YOLOv5": (
        "Ultralytics YOLO",
        """
     Epoch   gpu_mem       box       obj       cls    labels  img_size
     0/349      3.6G    0.5    0.25          0         96        640:   0%|          | 0/171 [00:00<?, ?it/s]
     0/349      3.6G    0.5    0.25          0         96        640:   1%|          | 1/171 [00:02<05:40,  2.00s/it]
     0/349      3.6G    0.5    0.25          0         96        640:   1%|          | 2/171 [00:04<05:38,  2.00s/it]
     1/349      3.6G    0.5    0.25          0         96        640:   1%|          | 1/171 [00:01<02:50,  1.00s/it]
""",
        [(1, 2.0, 1, 0.75), (2, 2.0, 1, 0.75), (172, 1.0, 1, 0.75)],
    ),
    "YOLOv7's results": (
        "Ultralytics YOLO",
        "      0/99     3.97G   0.08988    0.0183   0.02755    0.1357       193       640   0.02414   0.01988  0.002193 0.0003665    0.1184   0.03287   0.02922\n"
        "      1/99     9.23G   0.08519   0.01677   0.02507    0.127       227       640  0.006589   0.05485  0.002794 0.0004173    0.1078   0.04016   0.02699",
        [(0, None, 1, 0.1357), (1, None, 1, 0.127)],
    ),
    "Ultralytics of 2025": (
        "Ultralytics YOLO",
        "      1/100      2.5G      1.25      1.5      1.25         16        640: 43% ━━━━━─────── 74/171 2.0it/s 37.0s<48.5s",
        [(74, 0.5, 1, 4.0)],
    ),
    "Keras 2": (
        "Keras",
        "Epoch 1/10\n1875/1875 [==============================] - 40s 20ms/step - loss: 0.5 - accuracy: 0.88 - val_loss: 0.35\n"
        "Epoch 2/10\n1000/1875 [===============>..............] - ETA: 11s - loss: 0.37\n1875/1875 [==============================] - 40s 21ms/step - loss: 0.25",
        [(1875, 0.02, 1875, 0.5), (3750, 0.021, 1875, 0.25)],
    ),
    "Keras 3": (
        "Keras",
        "Epoch 1/2\n1875/1875 ━━━━━━━━━━━━━━━━━━━━ 4s 2ms/step - accuracy: 0.85 - loss: 0.5 - val_accuracy: 0.9 - val_loss: 0.41",
        [(1875, 0.002, 1875, 0.5)],
    ),
    "Keras with verbose=2": (
        "Keras",
        "Epoch 1/2\n50/50 - 2s - 40ms/step - accuracy: 0.85 - loss: 0.5 - val_loss: 0.41\nEpoch 2/2\n50/50 - 3s - 50ms/step - loss: 0.25",
        [(50, 0.04, 50, 0.5), (100, 0.05, 50, 0.25)],
    ),
    "Keras with verbose=2 in 2021": (
        "Keras",
        "Epoch 1/2\n50/50 - 2s - loss: 0.5 - val_loss: 0.41\nEpoch 2/2\n50/50 - 65s - loss: 0.25 - 65s/epoch - 1s/step",
        [(50, 0.04, 50, 0.5), (100, 1.0, 50, 0.25)],
    ),
    "Keras of 2018, in samples": (
        "Keras",
        "Epoch 1/2\n60000/60000 [==============================] - 5s 80us/sample - loss: 0.5 - val_loss: 0.41",
        [(60000, 8e-5, 60000, 0.5)],
    ),
    "TensorFlow's estimator": (
        "Keras",
        "INFO:tensorflow:loss = 0.75, step = 200\nINFO:tensorflow:loss = 0.5, step = 300 (12.500 sec)",
        [(200, None, 1, 0.75), (300, 0.125, 100, 0.5)],
    ),
    "verl": (
        "verl",
        "(TaskRunner pid=625502) step:12 - actor/pg_loss:-0.5 - actor/grad_norm:0.009 - actor/lr:3e-05 - timing_s/gen:9.1 - timing_s/step:21.5 - timing_s/testing:4.0\n"
        "step:13 - train/loss:0.5 - train/lr(1e-3):0.5 - train/time(s):6.25",
        [(12, 21.5, 1, -0.5), (13, 6.25, 1, 0.5)],
    ),
    "MaxText": (
        "MaxText",
        "completed step: 0, seconds: 44.5, TFLOP/s/device: 17.022, Tokens/s/device: 1094.129, total_weights: 196608, loss: 12.0\n"
        "I0706 16:51:00.995285 140110937163584 metric_logger.py:214] completed step: 1, seconds: 5.25, TFLOP/s/device: 86.213, Tokens/s/device: 16460.308, total_weights: 6260, loss: 11.5, lm_loss: 0.000",
        [(0, 44.5, 1, 12.0), (1, 5.25, 1, 11.5)],
    ),
    "MLPerf": (
        "MLPerf",
        """
0: :::MLLOG {"namespace": "", "time_ms": 1684040000000, "event_type": "INTERVAL_START", "key": "block_start", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040100000, "event_type": "INTERVAL_END", "key": "block_stop", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040100000, "event_type": "INTERVAL_START", "key": "block_start", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040200500, "event_type": "INTERVAL_END", "key": "block_stop", "value": null, "metadata": {}}
""",
        [(1, 100.0, 1, None), (2, 100.5, 1, None)],
    ),
    "NVIDIA DLLogger": (
        "NVIDIA DLLogger",
        "DLL 2024-05-14 23:09:20.251083 - Iteration 2684 | train_acc : 0.7197 % | iteration_time : 113.5 ms | train_loss : 0.5 ",
        [(2684, 0.1135, 1, 0.5)],
    ),
    "MLPerf BERT": (
        "MLPerf BERT",
        "0: {'training_steps': 6024, 'average_loss': 3.8, 'step_loss': 3.5, 'learning_rate': 0.0003, 'seq/s': 349.6, 'global_steps': 994, 'samples_trained': 286272, 'skipped_steps': 10, 'timestamp': 1593153554.5}\n"
        "0: {'training_steps': 6030, 'average_loss': 3.4, 'step_loss': 3.0, 'learning_rate': 0.0003, 'seq/s': 392.9, 'global_steps': 995, 'samples_trained': 286560, 'skipped_steps': 10, 'timestamp': 1593153555.25}",
        [(994, None, 1, 3.5), (995, 0.75, 1, 3.0)],
    ),
    "MXNet": (
        "MXNet",
        """
2020-06-24 23:54:53,000 Node[0] Epoch[0] Batch [0-20]\tSpeed: 5178.65 samples/sec\taccuracy=0.0
2020-06-24 23:54:56,000 Node[0] Epoch[0] Batch [20-40]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
2020-06-24 23:55:56,000 Node[0] Epoch[1] Batch [0-20]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
""",
        [(20, None, 1, None), (40, 0.15, 20, None), (60, None, 1, None)],
    ),
    "openpi": (
        "openpi",
        """
05:16:41.449 [I] Progress on: 100it/200kit rate:1.5s/it remaining:363:03:01 elapsed:02:00 postfix:- (2490449:tqdm_logging.py:145)
Step 100: grad_norm=2.0, loss=0.25, param_norm=1377.8652
05:19:11.449 [I] Progress on: 200it/200kit rate:1.5s/it remaining:363:03:01 elapsed:04:30 postfix:- (2490449:tqdm_logging.py:145)
05:19:11.449 [I] Step 200: grad_norm=2.0, loss=0.125, param_norm=1377.8652
""",
        [(100, None, 1, 0.25), (200, 1.5, 100, 0.125)],
    ),
    "straggle-ml GPT-2": (
        "straggle-ml GPT-2",
        "[2026-03-18 01:07:13][Epoch 001][Step 1150/1200] global_step=2350 train_loss=3.75 train_ppl=41.75 lr=0.0005 step_time=8.5s step_time_min=8.4 step_time_max=8.8 micro_time=1.750s tp=6998 tok/s\n"
        "[2026-03-18 01:14:13][Epoch 001][Step 1200/1200] global_step=2400 train_loss=3.5 train_ppl=41.75 lr=0.0005 step_time=8.75s step_time_min=8.4 step_time_max=8.8 micro_time=1.750s tp=6998 tok/s",
        [(2350, 8.5, 1, 3.75), (2400, 8.75, 50, 3.5)],
    ),
    "wordplay": (
        "wordplay",
        "18%|█▊        | 18/100 [00:05<00:08,  9.84it/s][2024-03-09 10:38:14][INFO][trainer:768] - step=20 loss=2.75 dt=110.5 dtf=4.6069 dtb=103.4925 sps=72.1009 mtps=1.1813 mfu=4.1925 train_loss=4.2858 val_loss=4.2797",
        [(20, 0.1105, 1, 2.75)],
    ),
    "pytorch-cifar": (
        "pytorch-cifar",
        """
Epoch: 0
 [============================ 391/391 ===========================>]  Step: 1s194ms | Tot: 39s100ms | Loss: 2.5 | Acc: 15.342% (7671/50000)
 [============================ 100/100 ===========================>]  Step: 34ms | Tot: 3s829ms | Loss: 1.979 | Acc: 26.170% (2617/10000)
Epoch: 1
 [============================ 391/391 ===========================>]  Step: 75ms | Tot: 1m18s200ms | Loss: 1.75 | Acc: 32.240% (16120/50000)
""",
        [(391, 0.1, 391, 2.5), (782, 0.2, 391, 1.75)],
    ),
    "Caffe": (
        "Caffe",
        "I0914 09:33:36.500000  6584 solver.cpp:228] Iteration 1851200, loss = 0.25\n"
        "I0914 09:33:43.000000  6584 solver.cpp:228] Iteration 1851300 (15.4 iter/s, 6.5s/100 iters), loss = 0.5",
        [(1851200, None, 1, 0.25), (1851300, 0.065, 100, 0.5)],
    ),
    "PaddleRec": (
        "PaddleRec",
        "2022-04-12 17:06:10,849 - INFO - epoch: 0, batch_id: 500, AUC:0.5, ACC:0.64, loss:0.5, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.575 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s\n"
        "2022-04-12 17:16:10,849 - INFO - epoch: 1, batch_id: 0, AUC:0.5, ACC:0.64, loss:0.25, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.5 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s",
        [(500, 0.575, 1, 0.5), (501, 0.5, 1, 0.25)],
    ),
    "tqdm": (
        "tqdm",
        """
Loading checkpoint shards: 100%|██████████| 4/4 [00:03<00:00,  1.26it/s]
  0%|          | 0/3 [00:00<?, ?it/s]
 33%|███▎      | 1/3 [00:02<00:04,  2.00s/it, loss=2.5]
 67%|██████▋   | 2/3 [00:04<00:02,  2.00s/it, loss=2.25]
""",
        [(1, 2.0, 1, 2.5), (2, 2.0, 1, 2.25)],
    ),
    "tqdm by epochs": (
        "tqdm",
        "Epoch 1/2: 100%|██████████| 50/50 [00:10<00:00,  5.00it/s, loss=1.5]\nEpoch 2/2: 100%|██████████| 50/50 [00:20<00:00,  2.50it/s, loss=1.25]",
        [(50, 0.2, 50, 1.5), (100, 0.4, 50, 1.25)],
    ),
    "Lightning": (
        "Lightning",
        """
Epoch 0:   0%|          | 0/40 [00:00<?, ?it/s]
Epoch 0:  10%|█         | 4/40 [00:04<00:36,  1.00s/it, v_num=0, train_loss_step=2.5]
Epoch 0:  25%|██▌       | 10/40 [00:10<00:30,  1.00s/it, v_num=0, train_loss_step=2.25]
Validation DataLoader 0: 100%|██████████| 9/9 [00:09<00:00,  1.00it/s]
Epoch 0: 100%|██████████| 40/40 [00:40<00:00,  1.00it/s, v_num=0, train_loss_step=2.0]
Epoch 1: 100%|██████████| 40/40 [00:20<00:00,  2.00it/s, v_num=0, train_loss_step=1.5]
""",
        [(10, 1.0, 10, 2.25), (40, 1.0, 30, 2.0), (80, 0.5, 40, 1.5)],
    ),
    "Lightning with Rich": (
        "Lightning",
        "Epoch 0/9  ━━━━━━━╸━━━━━━━━━ 20/202 0:00:10 • 0:01:21 2.00it/s v_num: 3.000 train_loss: 1.5",
        [(20, 0.5, 20, 1.5)],
    ),
    "Lightning metrics.csv": (
        "Lightning metrics.csv",
        "epoch,step,train_loss_step,val_loss\n0,49,7.5,\n0,99,7.25,\n0,99,,7.125",
        [(49, None, 1, 7.5), (99, None, 1, 7.25)],
    ),
    "LLaMA-Factory": (
        "LLaMA-Factory trainer_log.jsonl",
        '{"current_steps": 10, "total_steps": 100, "loss": 3.5, "learning_rate": 9.9e-05, "epoch": 0.02, "percentage": 0.08, "elapsed_time": "0:00:26", "remaining_time": "8:45:50"}\n'
        '{"current_steps": 20, "total_steps": 100, "loss": 1.5, "learning_rate": 9.9e-05, "epoch": 0.04, "percentage": 0.17, "elapsed_time": "0:00:36", "remaining_time": "6:01:18"}',
        [(10, None, 1, 3.5), (20, 1.0, 10, 1.5)],
    ),
    "detectron2 metrics.json": (
        "detectron2 metrics.json",
        '{"data_time": 0.0013, "eta_seconds": 0.0, "iteration": 19, "loss_cls": 1.0, "lr": 0.0002, "rank_data_time": 0.0013, "time": 0.25, "total_loss": 2.5}',
        [(19, 0.25, 1, 2.5)],
    ),
    "mmcv log.json": (
        "OpenMMLab log.json",
        '{"env_info": "sys.platform: linux"}\n{"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, "memory": 5000, "data_time": 0.1, "loss": 0.5, "time": 0.5}\n'
        '{"mode": "val", "epoch": 1, "iter": 100, "lr": 0.01, "mIoU": 0.5}\n{"mode": "train", "epoch": 1, "iter": 100, "lr": 0.01, "memory": 5000, "data_time": 0.1, "loss": 0.25, "time": 0.75}',
        [(50, 0.5, 1, 0.5), (100, 0.75, 50, 0.25)],
    ),
    "torchtitan trace": (
        "torchtitan trace",
        '{"rank": 0, "source": "training", "step": 1, "time_us": 1709500000000000, "log_type_name": "fwd_bwd_start"}\n'
        '{"rank": 0, "source": "training", "step": 1, "time_us": 1709500001000000, "log_type_name": "fwd_bwd_end", "value": 1000.0}\n'
        '{"rank": 0, "source": "training", "step": 2, "step_tags": ["gc"], "time_us": 1709500001500000, "log_type_name": "fwd_bwd_start"}\n'
        '{"rank": 0, "source": "training", "step": 3, "time_us": 1709500003500000, "log_type_name": "fwd_bwd_start"}',
        [(1, 1.5, 1, None), (2, 2.0, 1, None)],
    ),
    "Hugging Face trainer_state.json": (
        "Hugging Face trainer_state.json",
        """
{
  "global_step": 20,
  "log_history": [
    {
      "epoch": 0.02,
      "grad_norm": "0.5",
      "loss": 3.5,
      "step": 10
    },
    {
      "epoch": 0.02,
      "eval_loss": 3.25,
      "eval_runtime": 2.5,
      "step": 10
    },
    {
      "loss": "1.5",
      "step": 20
    }
  ],
  "max_steps": 20
}
""",
        [(10, None, 1, 3.5), (20, None, 1, 1.5)],
    ),
}  # fmt: skip
