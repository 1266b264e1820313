"""Texts without a training: which of them are read as one?

    python bench/not_trainings.py [FILE OR FOLDER ...]

The texts below, each after a real program's output or after what people write about trainings, and whatever files
are named: sources, READMEs, changelogs, tables of data. A README that quotes a training's log is read, and rightly so.
In ROWS a row comes again with {n} that counts, {x} that falls, and {p} percent.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Iterations

ROWS: dict[str, tuple[str, str]] = {
    # solvers and simulations
    "scipy": ("Iteration  Function evals   Cost", "   {n}   {n}3   {x:.4e}"),
    "gurobi": ("Iteration    Objective       Primal Inf.    Dual Inf.      Time", "    {n}00   {x:.7e}   {x:.6e}   0.000000e+00      {n}s"),
    "fluent": ("  iter  continuity  x-velocity  energy     time/iter", "     {n}  {x:.4e}  {x:.4e}  {x:.4e}  0:00:12   100"),
    "lammps": ("Step          Temp          E_pair         TotEng", "  {n}00   300.{n}   -{x:.6f}   -{x:.6f}"),
    "gromacs": ("", "           Step           Time\n           {n}000       {n}0.00000\n\n   Energies (kJ/mol)\n    1.2e+04    3.4e+03"),
    "l-bfgs-b": ("RUNNING THE L-BFGS-B CODE", "At iterate    {n}    f= {x:.5e}    |proj g|=  {x:.5e}"),
    "stan": ("", "Chain 1: Iteration: {n}00 / 4000 [{p}%]  (Sampling)"),
    "g2o": ("", "iteration= {n}\t chi2= {x:.6f}\t time= 0.01\t cumTime= 0.{n}\t edges= 1234\t lambda= 0.1"),
    "ceres": ("iter      cost      cost_change  |gradient|   |step|    tr_ratio  iter_time  total_time", "   {n}  {x:.6e}    2.00e+00   1.00e+00   0.00e+00  0.00e+00  5.33e-04    3.00e-03"),
    "faiss": ("", "  Iteration {n} (0.{n} s, search 0.01 s): objective={x:.2f} imbalance=1.01 nsplit=0"),
    # bars
    "a bar of nobody knows what": ("", " {p}%|###       | {n}/50 [00:10<00:50, 7.12it/s]"),
    "a bar of inference": ("Loading pipeline components...: 100%|##########| 7/7 [00:02<00:00,  3.1it/s]", " {p}%|###       | {n}/50 [00:10<00:50, 7.12it/s]"),
    "a bar of requests": ("", "Running loglikelihood requests:  {p}%|###  | {n}/50 [10:02<00:00, 66.6it/s]"),
    "a bar beside a training's words": ("Loading model, loss = mse", "Rendering progress:  {p}%|###  | {n}/50 [00:10<00:50,  1.12s/it]"),
    "a bar of files": ("Optimizer: none", "Unzipping: {p}%|###  | {n}/50 [00:10<00:50,  1.12it/s]"),
    "wget": ("", "  {n}50K .......... .......... .......... {p}%  2.5M 40s"),
    # builds and operations
    "docker": ("", "Step {n}/40 : RUN make part{n}\n ---> Running in 3f{n}ab"),
    "jmh": ("", "Iteration   {n}: 12.{n} ns/op"),
    "ab": ("", "Completed {n}00 requests\nTime per request:       12.{n} [ms] (mean)"),
    "packets": ("", "2024-05-01 12:{n}:00 batch {n}: sent 100, received 98, loss: 2%, time: 10.3 ms"),
    "hosts": ("", "epoch=17145648{n} host=a loss=1% rtt=10.5ms"),
    "etl": ("", "2024-05-01 12:00:{n} INFO etl batch={n} rows=1000 time=0.25s rate=812 rows/s"),
    "nginx": ("", '10.0.0.{n} - - [01/May/2024:12:00:{n} +0000] "GET /step/{n}?loss=0.{n} HTTP/1.1" 200 123 "-" 0.{n}'),
    "updates": ("", "Update {n} of 40 installed, took 3 s"),
    # JSON Lines
    "steps of a test": ("", '{{"step": {n}, "action": "click", "duration": 0.5, "status": "passed"}}'),
    "steps of an agent": ("", '{{"step": {n}, "tool": "bash", "tokens": {n}0, "elapsed": {n}.5}}'),
    "a network's losses": ("", '{{"time": 17145648{n}, "host": "a", "loss": 0.0{n}, "rtt": 10.5}}'),
    # tables
    "trades": ("date,symbol,profit_loss,shares,price", "2024-01-{n},AAPL,{x:.2f},{n},100.5"),
    "orders": ("time,entry,stop_loss,take_profit", "2024-01-{n} 12:00:00,100.5,{x:.2f},110.5"),
    "a sensor": ("step,temperature,humidity", "{n},20.5,{x:.2f}"),
    "a pedometer": ("date,steps,distance_km,calories", "2024-01-{n},{n}33,1.5,{n}50"),
    "an insurer": ("policy,year,premium,loss", "{n},2020,1{n},{x:.2f}"),
    "a diet": ("week,weight,loss", "{n},85.5,0.5"),
    "rooms": ("room,area,heat_loss", "{n},12,{x:.1f}"),
    "goods": ("batch,weight,length,operator", "{n},{x:.2f},50.5,Ann"),
    "chemistry": ("Batch,Time (min),Temperature,Yield", "{n},30.5,80.5,{x:.3f}"),
    "cables": ("Batch;Loss (dB);Length (m)", "{n};{x:.2f};10"),
    "antennas": ("Step    Loss[dB]    Gain[dB]    Freq[GHz]", "{n}    {x:.2f}    0.25    1.5"),
    "a solver's residuals": ("iteration,residual,time", "{n},{x:.5e},0.{n}"),
    "particles": ("step,x,y,z,energy", "{n},0.1250,0.2500,0.5000,{x:.5f}"),
    "accounts": ("month;revenue;loss", "{n};1000;{n}3"),
    # what people write
    "git log --oneline": ("", "3c7174{n} Step {n}: lower the loss by {x:.1f}"),
    "a recipe": ("", "Step {n}: Mix for 4 minutes, time: 15 min. Loss of water is 3%"),
}  # fmt: skip

TEXTS: dict[str, str] = {
    "git log": "".join(
        f"commit 3c71742{n}\nAuthor: A <a@b.c>\n\n    {subject}\n\n"
        for n, subject in enumerate(
            (
                "Step 1: lower the loss", "Epoch 5: loss was 0.3, now 0.2", "Fix loss = nan at step 100",
                "Use batch 32, loss 2.5 -> 2.4", "Iteration 2 of the loader: time 3 s less", "Step 3: loss: 0.25",
            )
        )
    ),
    "Python": "epoch = 3\nloss = 2\nfor epoch in range(3):\n    loss = 0.0\nclass A:\n    epoch = 4\n    loss = 3\n"
    'print(f"step {step:6d} | loss {loss:.6f} | {1e3 * dt:.1f}ms/step")\nprint(f"step {step:6d} | loss {loss:.6f}")\n',
    "a docstring": "The loss is computed like DETR's. It happens in two steps: 1) we compute the assignment,\n"
    "The loss of it is computed as by DETR. This happens in two steps: 1) we compute hungarian\n",
    "YAML": "train:\n  epoch: 10\n  loss: 1\n  batch: 32\nval:\n  epoch: 12\n  loss: 0.5\n  step: 5\n  time: 3\n",
    "JSON": '{\n  "step": 100,\n  "loss": 0.5,\n  "epoch": 3,\n  "nested": {\n    "step": 200,\n    "loss": 1\n  }\n}\n',
    "a summary": '{"label accuracy": 0.71, "epoch": 0, "AP_2": 9.16, "_step": 7, "loss": 0.5}\n',
    "Markdown": "# Results\n\n| step | loss | time |\n|------|------|------|\n| 1000 | 2.500 | 2.0 s |\n| 2000 | 2.250 | 4.0 s |\n",
    "prose": "We train for 3 epochs with batch 32 and reach a loss of 0.35 in 12 s/step.\nAfter epoch 10 the loss is 0.25.\n"
    "- Epoch 1, loss 0.5: the model learns colours.\n- Epoch 2, loss 0.4: it learns shapes.\n",
    "a paper": "We observe that at step 100 the loss = 0.5 whereas at step 200 the loss = 0.4 (see Figure 3).\n"
    "The learning rate is 0.001 and batch size 256; each iteration takes 0.5 s/it on average.\n",
    "an issue": "Hi, at epoch 3 my loss = nan. I use batch 16 and lr = 0.1.\nWhen I set batch 8 the loss is 0.5 at step 100.\n",
    "a changelog": "## 1.2.0\n- Step 3 of the loader takes 0.5 s/it less (loss: 0)\n- epoch=2: loss 0.5 is now printed\n"
    "## 1.1.0\n- `step 10 | loss 2.3` is read\n* Fix batch 2 loss=nan\n",
    "a help text": "usage: train.py [-h] [--epoch 10] [--loss 1]\n  --epochs N   number of epochs (default: 10), loss (default: 0.5)\n"
    "  --batch 32   batch size 32; time: 5 s/it\n",
    "checkpoints": "Stage,Step,URL\n1,1000,https://x.org/step1000/\n1,2000,https://x.org/step2000/\n1,3000,https://x.org/step3000/\n",
}  # fmt: skip


def texts() -> dict[str, str]:
    """All, by what they are."""
    many = {
        name: "\n".join((head, *(row.format(n=n, x=100 / n, p=2 * n) for n in range(10, 41)))) + "\n"
        for name, (head, row) in ROWS.items()
    }
    return many | TEXTS


MOST_BYTES = 1 << 20
"""Of a file."""


def iterations_of(text: bytes) -> tuple[int, str]:
    """How many iterations are read in a text, and as what."""
    reader = LogReader()
    events = [*reader.feed(text + b"\n"), *reader.end(b"")]
    found = [one for one in events if isinstance(one, Iteration | Iterations)]
    return sum(len(one) if isinstance(one, Iterations) else 1 for one in found), reader.recognition.label


def _of_file(path: Path) -> tuple[str, int, str]:
    with path.open("rb") as file:
        return str(path), *iterations_of(file.read(MOST_BYTES))


def main() -> None:
    """Print what is read as a training, a line each, and how many of how many."""
    os.nice(5)
    named = [Path(one) for one in sys.argv[1:]]
    files = [file for one in named for file in (one.rglob("*") if one.is_dir() else [one]) if file.is_file()]
    told = [(name, *iterations_of(text.encode())) for name, text in texts().items()]
    with ProcessPoolExecutor(2) as pool:
        told += pool.map(_of_file, sorted(files), chunksize=4)
    for name, iterations, label in told:
        if iterations:
            print(f"{iterations:7,} iterations, {label}: {name}")
    print(f"{sum(bool(one[1]) for one in told):,} of {len(told):,} texts are read as a training")


if __name__ == "__main__":
    main()
