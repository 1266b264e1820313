"""Runs of W&B for the tests: what a script printed and logged, and what its machine did meanwhile."""

from campaigns import wandb_writer as w

START_S = 1_700_000_000.0
GPT2 = {
    "n_layer": 12,
    "n_head": 12,
    "n_embd": 768,
    "block_size": 1024,
    "batch_size": 12,
    "dtype": "bfloat16",
    "gradient_accumulation_steps": 40,
    "max_iters": 600,
    "eval_interval": 50,
    "bias": False,
    "dataset": "owt",
}


def nanogpt(iterations=60, each_s=2.0):
    """As nanoGPT prints it, two portions a line; it logs its evaluations alone; samples each 30 s."""
    records = [w.begun("gpt2", START_S, GPT2)]
    at_s = START_S + 10
    for number in range(iterations):
        at_s += each_s
        line = f"iter {number}: loss {3 - number / 100:.4f}, time {each_s * 1e3:.2f}ms, mfu 15.00%"
        records += (w.printed(line, at_s), w.printed("\n", at_s + 0.0001))
        if number % 50 == 0:
            row = {"iter": number, "train/loss": 0.5, "val/loss": 0.75, "lr": 6e-4, "_step": number // 50}
            records.append(w.row(row))
        if number % 15 == 14:
            records.append(w.stats(at_s, gpu(0, 300.0)))
    return records


def logged(iterations=60, each_s=0.5, own="global_step"):
    """A script that prints nothing of its iterations, and logs each of them."""
    config = {"per_device_train_batch_size": 4, "lr": 0.1}
    records = [w.begun("mine", START_S, config), w.printed("hello\n", START_S)]
    for number in range(iterations):
        at_s = START_S + 5 + number * each_s
        row = {"loss": 2 - number / 100, "_step": number, "_timestamp": at_s, "_runtime": at_s - START_S}
        records.append(w.row(row | ({own: number * 10} if own else {})))
    return records


def gpu(number, power_w, **others):
    """One GPU's measurements."""
    values = {"gpu": 99.0, "temp": 70, "powerWatts": power_w, "memoryAllocatedBytes": 1 << 34, **others}
    return {f"gpu.{number}.{name}": value for name, value in values.items()}
