"""How good the ETA is: complete real logs with a clock, replayed, beside tqdm's real code on the same events.

    pip install tqdm
    python bench/eta.py [../shared/corpus]

Error: of the whole duration as predicted at 10, 25 and 50 % progress (mean of the absolute errors of 11 ETAs
within 1 % around), relative to how long it took. Coverage: how
often the truth lay in the 90 % interval, at every 5 % of progress from 10 to 90 % (where an interval is given).
Both are given the number of iterations, and nothing else that the log does not say. The clock is that of the
lines' stamps, else the log's own elapsed time, else the sum of its printed times.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from statistics import fmean
from threading import Event as Flag
from typing import NamedTuple

from corpus import real_logs
from msgspec.structs import replace
from tqdm import tqdm

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.events import (
    Config,
    End,
    Event,
    Iteration,
    SpanEnd,
    Total,
    expand,
)

COMPLETE = (
    "custom/1025378573__T5-Finetune__train.log",
    "deepspeed/deepspeedai__DeepSpeedExamples__step1_supervised_finetuning_training_log_output_opt-1.3b-globalBatchSize128.log",
    "deepspeed/deepspeedai__DeepSpeedExamples__step2_reward_model_finetuning_training_log_output_opt-350m_globalBatchSize-64.log",
    "deepspeed/linskybing__LLM__logs_nv_qr.out",
    "deepspeed/linskybing__LLM__logs_nv_zero_2_offload.out",
    "maskrcnn-benchmark/mlcommons__training_results_v0.7__v0.7_Fujitsu_maskrcnn_result_5.txt",
    "maskrcnn-benchmark/mlcommons__training_results_v1.1__v1.1_HPE_maskrcnn_result_1.txt",
    "maxtext/AI-Hypercomputer__maxtext__dpo_qwen3_demo.ipynb.stdout.txt",
    "mlperf/mlcommons__training_results_v0.7__v0.7_NVIDIA_dgx1_bert_result_7.txt",
    "mlperf/mlcommons__training_results_v1.1__v1.1_Dell_rnnt_result_9.txt",
    "mlperf/mlcommons__training_results_v3.0__v3.0_NVIDIA_n64_nemo_gpt3_result_0.txt",
    "mlperf/mlcommons__training_results_v4.0__v4.0_Supermicro_gnn_result_01.txt",
    "mlperf/mlcommons__training_results_v5.0__v5.0_Nebius_llama31_405b_result_1.txt",
    "mxnet/mlcommons__training_results_v0.7__v0.7_DellEMC_C4140_resnet_result_4.txt",
    "mxnet/mlcommons__training_results_v2.0__v2.0_Krai_2xA5000_resnet_result_2.txt",
    "straggle-gpt2/gkrls__straggle-ml-experiments__data_train_gpt2_aggressive_sa_rank0.log",
    "straggle-gpt2/gkrls__straggle-ml-experiments__data_train_gpt2_aggressive_sa_rank1-straggler.log",
    "ultralytics-yolov5/Bigbugman__yolov5-pedestrian-dection__submission_afters_dataAug_base_aft.txt",
)
"""Logs of the corpus that are whole, of one process, and have a time stamp in every line of an iteration."""

UNSTAMPED = (
    "gnmt/mlcommons__training_results_v0.7__v0.7_Fujitsu_gnmt_result_3.txt",
    "hf_trainer/st-fei__TransLM__LLaMA-Factory_nohup.out",
    "hf_trainer_jsonl/112292454__ChatGLM-Efficient-Tuning-main__lora_epoch25_trainer_log.jsonl",
    "llm.c/HectorFCardenas__llm.c__gpt2_train.11679031.log",
    "misread/prednet_total_used_time.log",
    "misread/tqdm_wall_not_anchored.out",
    "modded-nanogpt/KellerJordan__modded-nanogpt__2024-10-09_SOAP_5bdc3988-496c-4232-b4ef-53764cb81c92.txt",
    "modded-nanogpt/KellerJordan__modded-nanogpt__2025-01-18_241dd7a7-3d76-4dce-85a4-7df60387f32a.txt",
    "verl/jianghoucheng__Agent_On_Policy_Distillation__wandb_output_dq9a4cex.log",
)
"""... and some that have none: of each the whole stretch that it has, up to its last iteration."""

AT = (0.10, 0.25, 0.50)
NEAR = range(-10, 11, 2)
"""... and the ETAs given up to 1 % before and after, in thousandths: one time alone is a matter of luck."""


class Replay(NamedTuple):
    errors: dict[float, list[float]]
    tqdm_errors: dict[float, list[float]]
    covered: list[bool]


def events_of(path: Path) -> list[Event]:
    batches = [b for b in LogSource(path, follow=False).batches(Flag()) if not b.preview]
    events = [e for b in batches for e in expand(b.events) if not isinstance(e, End | Total)]
    return [replace(e, max_iterations=None) if isinstance(e, Config) else e for e in events]


def clocked(events: list[Event]) -> list[tuple[Event, float | None]]:
    """Each event, an iteration with its time by the log's clock; `None` for other events."""
    iterations = [e for e in events if isinstance(e, Iteration)]
    stamped = all(e.at_s is not None for e in iterations)
    elapsed = not stamped and all(e.elapsed_s is not None for e in iterations)
    told: list[tuple[Event, float | None]] = []
    before, summed_s = iterations[0].index, 0.0
    for event in events:
        at_s = None
        if isinstance(event, Iteration):
            summed_s += (event.duration_s or 0.0) * (event.index - before)
            before = event.index
            at_s = event.at_s if stamped else event.elapsed_s if elapsed else summed_s
        told.append((event, at_s))
    return told


def replay(events: list[Event]) -> Replay | None:
    told = clocked(events)
    timed = [(e, at_s) for e, at_s in told if isinstance(e, Iteration) and at_s is not None]
    (first, begun_s), (last, ended_s) = timed[0], timed[-1]
    if last.at_s is not None:  # it is done when its last evaluation is
        ended_s = max([ended_s, *(e.at_s or 0.0 for e in events if isinstance(e, SpanEnd))])
    whole_s = ended_s - begun_s
    if not whole_s:
        return None
    run = Run()
    run.apply([Config(max_iterations=last.index)])
    clock = [begun_s]
    bar = tqdm(total=last.index, initial=first.index, file=io.StringIO(), mininterval=0, miniters=1)
    bar._time = lambda: clock[0]
    bar.start_t = bar.last_print_t = begun_s
    result = Replay({at: [] for at in AT}, {at: [] for at in AT}, [])
    marks = sorted({round(k / 20, 3) for k in range(2, 19)} | {round(at + d / 1000, 3) for at in AT for d in NEAR})
    for event, at_s in told:
        run.apply([event])
        if not isinstance(event, Iteration) or at_s is None:
            continue
        clock[0] = at_s
        bar.update(event.index - bar.n)
        while marks and event.index >= marks[0] * last.index:
            mark = marks.pop(0)
            eta = run.findings(event.at_s).eta
            truth_s = ended_s - at_s
            for at in AT:
                if abs(mark - at) < 0.0105:
                    rate = bar.format_dict["rate"] or bar.n / max(1e-9, at_s - begun_s)
                    if rate:  # none before its second frame
                        result.tqdm_errors[at].append(abs((last.index - bar.n) / rate - truth_s) / whole_s)
                    result.errors[at].append(abs((eta.remaining_s or 0.0) - truth_s) / whole_s)
            if round(mark * 1000) % 50 == 0 and eta.low_s is not None and eta.high_s is not None:
                result.covered.append(eta.low_s <= truth_s <= eta.high_s)
    return result


def main() -> None:
    corpus = real_logs(sys.argv[1:])
    if corpus is None:
        return
    ours: dict[float, list[float]] = {mark: [] for mark in AT}
    theirs: dict[float, list[float]] = {mark: [] for mark in AT}
    covered: list[bool] = []
    whose = [f"{who} {mark:.0%}" for mark in AT for who in ("itermon", "tqdm")]
    heads = "".join(f"{head:>12}" for head in whose)
    print(f"{'error of the whole duration, predicted at':44}{heads}{'in interval':>13}")
    for name in COMPLETE + UNSTAMPED:
        result = replay(events_of(corpus / name))
        if result is None:
            print(f"{name[-42:]:44}{'is read without a clock':>24}")
            continue
        covered += result.covered
        cells = ""
        for mark in AT:
            ours[mark].append(fmean(result.errors[mark]))
            theirs[mark].append(fmean(result.tqdm_errors[mark]))
            cells += f"{ours[mark][-1]:>12.1%}{theirs[mark][-1]:>12.1%}"
        print(f"{name[-42:]:44}{cells}{sum(result.covered):>7} of {len(result.covered)}")
    means = "".join(f"{fmean(ours[mark]):>12.1%}{fmean(theirs[mark]):>12.1%}" for mark in AT)
    print(f"{'mean of the absolute errors':44}{means}{fmean(covered):>13.0%}")
    ratio = fmean(ours[0.10]) / fmean(theirs[0.10])
    print(f"at 10 %: {fmean(ours[0.10]):.1%} (at most 3 %), {ratio:.2f} of tqdm's")
    print(f"in the 90 % interval: {fmean(covered):.0%} of {len(covered)} (85 to 97 %)")


if __name__ == "__main__":
    main()
