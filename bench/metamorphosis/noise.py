"""What other libraries print into a training's log, and the bar of an evaluation."""

NOISE = [line.encode() for line in """\
/opt/env/lib/python3.11/site-packages/torch/utils/checkpoint.py:429: UserWarning: torch.utils.checkpoint: please pass in use_reentrant=True or use_reentrant=False explicitly.
  warnings.warn(
huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...
To disable this warning, you can either:
	- Avoid using `tokenizers` before the fork if possible
	- Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)
Downloading (…)lve/main/config.json: 100%|██████████| 570/570 [00:00<00:00, 412kB/s]
Downloading pytorch_model.bin: 100%|██████████| 440M/440M [00:10<00:00, 42.1MB/s]
Map (num_proc=8): 100%|██████████| 51760/51760 [00:21<00:00, 2412.33 examples/s]
Loading checkpoint shards: 100%|██████████| 2/2 [00:07<00:00,  3.61s/it]
wandb: Currently logged in as: someone. Use `wandb login --relogin` to force relogin
wandb: Tracking run with wandb version 0.16.6
node7:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
node7:4711:4790 [0] NCCL INFO Connected all rings
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
├─Linear: 1-1                            [32, 128]                 100,480
├─BatchNorm1d: 1-2                       [32, 128]                 256
==========================================================================================
Total params: 100,736
Trainable params: 100,736
+-----------------------------------------------------------------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |
+-----------------------------------------------------------------------------+
Requirement already satisfied: numpy>=1.17 in /opt/env/lib/python3.11/site-packages (1.26.4)
[notice] A new release of pip is available: 23.2.1 -> 24.0
Some weights of the model checkpoint were not used when initializing: ['cls.predictions.bias', 'cls.seq_relationship.weight']
The attention mask is not set and cannot be inferred from input because pad token is same as eos token.""".split("\n")]  # fmt: skip  # noqa: E501

EVALUATION_BAR = "\r".join(
    f"Evaluating: {100 * n // 500:3d}%|{'█' * (n // 50):10}| {n}/500 [00:{n // 10:02d}<00:{50 - n // 10:02d}, 10.00it/s]"
    for n in range(0, 501, 20)
).encode().replace(b"0/500 [00:00<00:50, 10.00it/s]", b"0/500 [00:00<?, ?it/s]", 1) + b"\n"  # fmt: skip
