"""nanoGPT's loop: evaluates and saves before the step, gradient accumulation, GradScaler, a line an iteration.

Arguments: `watch` calls `itermon.watch()` in the script, `compile` compiles the model. It evaluates before the first
iteration and so, compiled, compiles inside an evaluation.
"""

import sys
import time

if "watch" in sys.argv:
    import itermon

    itermon.watch()

import torch
from stopwatch_inside import Stopwatch
from torch import nn
from torch.nn import functional

max_iters, eval_interval, eval_iters, accumulation, block, batch, vocabulary = 60, 20, 10, 2, 32, 8, 64


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, 64), nn.Embedding(block, 64)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(64, 4, 256, 0.1, functional.gelu, batch_first=True, norm_first=True)
            for _ in range(2)
        )
        self.head = nn.Linear(64, vocabulary)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(block))

    def forward(self, idx, targets):
        x = self.tokens(idx) + self.places.weight
        for layer in self.blocks:
            x = layer(x, src_mask=self.mask)
        logits = self.head(x)
        return logits, functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


data = torch.randint(0, vocabulary, (10_000,))


def get_batch():
    ix = torch.randint(len(data) - block, (batch,))
    return torch.stack([data[i : i + block] for i in ix]), torch.stack([data[i + 1 : i + 1 + block] for i in ix])


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=False)
raw_model = model
if "compile" in sys.argv:
    from torch._dynamo.callback import callback_handler

    callback_handler.register_start_callback(lambda _: watch.begin("compile"))
    callback_handler.register_end_callback(lambda _: watch.end())
    model = torch.compile(
        model, backend="aot_eager"
    )  # it traces as inductor does, without minutes of a C compiler


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            losses[k] = model(*get_batch())[1].item()
        out[split] = losses.mean()
    model.train()
    return out


watch = Stopwatch()
X, Y = get_batch()
t0 = time.time()
iter_num, best_val_loss = 0, 1e9
while True:
    if iter_num % eval_interval == 0:
        with watch.part("evaluation"):
            losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
        if losses["val"] < best_val_loss:
            best_val_loss = losses["val"]
            if iter_num > 0:
                checkpoint = {
                    "model": raw_model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "iter_num": iter_num,
                }
                print("saving checkpoint to out")
                with watch.part("checkpoint"):
                    torch.save(checkpoint, "ckpt.pt")
    for _ in range(accumulation):
        logits, loss = model(X, Y)
        loss = loss / accumulation
        X, Y = get_batch()
        scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    watch.iteration()
    t1 = time.time()
    dt, t0 = t1 - t0, t1
    print(f"iter {iter_num}: loss {loss.item() * accumulation:.4f}, time {dt * 1000:.2f}ms, mfu -100.00%")
    iter_num += 1
    if iter_num > max_iters:
        break
watch.write()
