"""The words with which logs end."""

import pytest

from itermon.collectors.logs.last_words import (
    cancelled,
    exited,
    finished,
    interrupted,
    of_queue,
    resumed,
    signalled,
)
from itermon.collectors.logs.reader import LogReader
from itermon.collectors.logs.troubles import Troubles
from itermon.events import EndReason, Message


def ending(line: str) -> str | None:
    message = Troubles().line(line, 1)
    return None if message is None else message.ending


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Killed", "failed"),
        ("[1]+  Killed                  python train.py --epochs 3", "failed"),
        ("[1]    4242 killed     python train.py", "failed"),
        ("run.sh: line 12:  4242 Killed                  python train.py", "failed"),
        ("Terminated", "failed"),
        ("Aborted (core dumped)", "failed"),
        ("Aborted", "failed"),
        ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***", "interrupted"),
        ("slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***", "failed"),
        ("srun: error: n1: task 13: Exited with exit code 1", "failed"),
        ("Process finished with exit code 137 (interrupted by signal 9: SIGKILL)", "failed"),
        ("command terminated with exit code 137", "failed"),
        ("Process finished with exit code 0", "finished"),
        ("traceback : Signal 9 (SIGKILL) received by PID 17", "failed"),
        ("Fatal Python error: Segmentation fault", "failed"),
        ("terminate called after throwing an instance of 'c10::Error'", "failed"),
        ("KeyboardInterrupt", "interrupted"),
        ("^CTraining stopped by KeyboardInterrupt", "interrupted"),
        ("^C", "interrupted"),
        ("Training interrupted by user", "interrupted"),
        ("2025-03-01 10:00:00 | INFO | Training was interrupted by the user. Saving the model ...", "interrupted"),
        ("Stopped by user", "interrupted"),
        ("Training interrupted!", "interrupted"),
        ("[!] Process terminated by keyboard", "interrupted"),
        ("It can be interrupted by user input", None),
        ("Training interrupted at a checkpoint is resumed", None),
        ("connection interrupted", None),
        ("train interrupted_by_user=False", None),
        ("WARNING: Received 15 death signal, shutting down workers", "interrupted"),
        ("[rank13]: ValueError: shapes do not match", "failed"),
        ("RuntimeError: CUDA error: device-side assert triggered", "failed"),
        ("Training complete. [23/02 02:12:38]", "finished"),
        ("reached --max-hours 4, stopping", "finished"),
        ("Target loss reached!", "finished"),
        ("Desired validation accuracy of 0.95 was achieved at epoch 7", "finished"),
        ("Epoch 7: target loss 0.5 reached", None),
        ("Target loss not reached at step 90", None),
        ("stop when target loss is reached", None),
        ("2025-03-01 10:00:00 | INFO | Time limit of 7200 s reached. Stopping training.", "finished"),
        ("max updates (5000) reached; stopping", "finished"),
        ("max steps of this epoch reached, stopping", None),
        ("reached the max length, stopping generation", None),
        ("if max steps are reached, stopping", None),
        ("--max-hours 4: the time after which it is stopping", None),
        ("🎉 模型训练测试完成！", "finished"),
        ("第 3 轮训练完成", None),
        ("训练集处理完成", None),
        ("Final multi-step eval:", "finished"),
        ("Running final evaluation on the test set...", "finished"),
        ("=== Final Test Results ===", "finished"),
        ("will run the final evaluation", None),
        ("Final test set size: 1000", None),
        ("  Number of finished trials:  30", "finished"),
        ("2026-01-01 INFO Training completed!", "finished"),
        ("12:00:01 learner INFO Learner finished, update: 90", "finished"),
        ("Learner finished update 90 of 100", None),
        ("Training is Done", "finished"),
        ("done solving", "finished"),
        ("Finished optimizing.", "finished"),
        ("done solving layer 3", None),
        ("[02/14 09:30:00] training TinyNet34 finished", "finished"),
        ("training TinyNet34 completed.", "finished"),
        ("INFO - 10:00:00 - Training of the linear head on fixed features completed.", "finished"),
        ("Training of fold two completed", None),
        ("Training of the data loader was never completed", None),
        ("training epoch finished", None),
        ("before training TinyNet34 finished loading", None),
        ("[07/28 15:43:22 tool]: Total training time: 3:30:53 (0:03:12 on hooks)", "finished"),
        (
            "[04/20 20:25:18 tool.hooks]: Overall training speed: 240 iterations in 1:14:32 (0.18 s / it)",
            "finished",
        ),
        ("Epoch 3: total training time: 0:30:53", None),
        ("Training time 3:06:01", "finished"),
        ("Training time: 12.5 s", None),
        ("2026-01-01 10:00:00 - LOGS   - Training took 01:10:57.94", "finished"),
        ("Training took 12.5 s", None),
        ("Epoch 3 training took 0:01:10", None),
        ("[train] done. best_val=2.5  ckpt=out/last.pt", "finished"),
        ("Done! Best accuracy: 0.75", "finished"),
        ("[train] done epoch 3", None),
        ("Loading weights done. Best of luck", None),
        ("Training selesai.", "finished"),
        ("INFO: End of training. Time consumed: 3:06:01", "finished"),
        ("Total time to finish Training :  12.5  mins", "finished"),
        ("Entraînement terminé.", "finished"),
        ("Das Training ist abgeschlossen", "finished"),
        ("Addestramento completato", "finished"),
        ("¡Entrenamiento finalizado!", "finished"),
        ("Treinamento concluído", "finished"),
        ("Обучение завершено", "finished"),
        ("Eğitim tamamlandı", "finished"),
        ("Epoch 3: end of training", None),
        ("total time of an evaluation: 3 s", None),
        ("Finished training in 3 h", "finished"),
        ("I FINISHED optimization in 2:47:12.5", "finished"),
        ("finished optimization pass", None),
        ("Training has been finished at epoch 30", "finished"),
        ("I0821 solver.cpp:296] Optimization Done.", "finished"),
        ("Early stopping triggered at epoch 12.", "finished"),
        ("Solving done ...", "finished"),
        ("Final model saved to out/model.zip", "finished"),
        ("saved the final checkpoint", "finished"),
        ("===== All finished =====", "finished"),
        ("All done!", "finished"),
        ('{"event": "done", "num_steps": 51}', "finished"),
        ('{"event": "step", "done": 51}', None),
        ("final model is saved when all is done", None),
        ("all completed parts are kept", None),
        ("Stopping early: the loss does not fall", None),
        ("Stopped early.", "finished"),
        ("INFO - [EARLY STOP] Validation did not improve for 10 epochs.", "finished"),
        ("Early stop at epoch 20", "finished"),
        ("Early Stopping....@ 72 epoch for patience @ 10", "finished"),
        ("Early stopped @epoch 72", "finished"),
        ("Early stopping in step #72", "finished"),
        ("Early stopping: 10 epochs", None),
        ("To update EarlyStopping(patience=10) use `patience=0` to disable EarlyStopping.", None),
        ("SUCCESS: Model converged after 1200 iterations!", "finished"),
        ("Converged at epoch 12", "finished"),
        ("The model has not converged after 1200 iterations", None),
        ("fold 3: model converged after 1200 iterations", None),
        ("Early stop!", "finished"),
        ("No improvement for 10 epochs. Stopping.", "finished"),
        ("dev loss not improve for 5 epochs ,was stopped, with best model out/7.pt", "finished"),
        ("Dev loss has not improved for 5 epochs and will be stopped at 20", None),
        ("Early stopping due to validation loss not improving for 20 epochs", "finished"),
        ("-----completed training in 113880.80 seconds-----", "finished"),
        ("2026-02-03 14:54:17 | INFO | Fine-tuning completed!", "finished"),
        ("[Finished in 1928.4s]", "finished"),
        ("Finished. Total elapsed time (h:m:s): 3:22:00. Training time (h:m:s): 2:26:24.", "finished"),
        ("2026-05-18 13:06:27,272 | INFO | Experiment finished successfully.", "finished"),
        ("the experiment is done", "finished"),
        ("2026-03-12 23:12:09 - 训练完成!", "finished"),
        ("모델 학습 완료", "finished"),
        ("学習が完了しました", "finished"),
        ("第3轮未完成", None),
        ("Experiment 3 of 9 is done soon", None),
        ("Enhanced training pipeline completed successfully!", "finished"),
        ("Done. Results saved to ./results", "finished"),
        ("实验完成！结果已保存到 results 目录", "finished"),
        ("Done loading the results", None),
        ("Data preprocessing pipeline completed", None),
        ("/opt/torch/bin/luajit: train.lua:3: attempt to index a nil value", "failed"),
        ("THCudaCheck: cuda runtime error (2) : out of memory at /tmp/THC.cu:66", "failed"),
        ("Early stop patience: 10", None),
        ("No improvement for 3 epochs (stops after 10)", None),
        ("Epoch 3: training done in 40 s", None),
        ("Did not meet early stopping. Best iteration is:", None),
        ("Will use validation_rmse for early stopping.", None),
        ("early_stopping_patience: 3", None),
        ("EarlyStopping counter: 3 out of 7", None),
        ("when training is done, the model is saved", None),
        (r""""# print(f\"Training finished in {time() - t0:.3f} s\")\n",""", None),
        ("logger.info('training is done')", None),
        ("pretraining completed tasks: 3", None),
        ("4 workers were killed in action", None),
        ("exit code", None),
        ("restarting, exited early", None),
    ],
)
def test_a_line_says_how_the_run_ended_or_says_nothing(line: str, reason: str | None) -> None:
    assert ending(line) == reason


def test_long_lines_are_no_last_words() -> None:
    assert ending("training complete " + "x" * 1_000) is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Resumed at step 7000 (best=None)", True),
        ("2026-01-01 10:00:00 INFO Resuming training from epoch 12", True),
        ("Resuming from ./out/checkpoint_07.pt", True),
        ("# resumed at 2026-01-01T10:00:00.5 from step 801", True),
        ("resumed from last.pth", True),
        ("resume_from_checkpoint=None, resume: False", False),
        ("FutureWarning: `resume_download` is deprecated", False),
        ("Resuming training after the evaluation", False),
        ("Resuming download from https://example.org/data", False),
        ("Resumed from " + "x" * 400 + "/last.pt", False),
    ],
)
def test_a_process_says_that_it_goes_on_from_a_checkpoint(line: str, says: bool) -> None:
    assert resumed(line) is says


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("slurmstepd: error: *** JOB 7 CANCELLED AT 1", "slurmstepd: error: *** JOB 7 CANCELLED AT 1"),
        ("iter 3: losrun: Job 7 *** CANCELLED AT 1", "srun: Job 7 *** CANCELLED AT 1"),
        ("iter 3 slurmstepd *** CANCELLED AT 1", "slurmstepd *** CANCELLED AT 1"),
        ("iter 3 *** JOB 7 CANCELLED AT 1 *** srun: gone", "*** JOB 7 CANCELLED AT 1 *** srun: gone"),
        ("job 7 CANCELLED AT 1 *** slurmstepd", "job 7 CANCELLED AT 1 *** slurmstepd"),
    ],
)
def test_what_a_queue_says_begins_with_its_name_also_within_a_line(line: str, says: str) -> None:
    assert of_queue(line) == says


@pytest.mark.parametrize(
    ("line", "says"),
    [
        *((word, True) for word in ("Killed", "terminated", "Aborted", "Hangup", "Segmentation fault")),
        ("Floating point exception (core dumped)", True),
        *((word + " it", False) for word in ("Killed", "terminated", "Aborted", "Hangup", "Segmentation fault")),
        ("nothing", False),
        ("[1]+  nothing      python train.py", False),
    ],
)
def test_each_signal_that_a_shell_names_is_known_in_a_line_of_its_own(line: str, says: bool) -> None:
    assert signalled(line) is says


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("exit code 3", 3),
        ("Exit code: -9", -9),
        ("退出代码 1", 1),
        ("exitcode 0", 0),
        ("code 3", None),
        ("退出 3", None),
    ],
)
def test_an_exit_code_is_read_in_two_languages(line: str, code: int | None) -> None:
    assert exited(line) == code


@pytest.mark.parametrize("words", ["training complete ", "exit code 3 ", "Resumed at step 7000 "])
def test_a_last_word_stands_in_three_hundred_characters_and_in_no_more(words: str) -> None:
    def says(line: str) -> bool:
        return finished(line) or exited(line) is not None or resumed(line)

    assert says(words.ljust(300, "."))
    assert not says(words.ljust(301, "."))


def test_a_person_stops_a_training_in_three_ways_and_a_time_limit_is_none() -> None:
    assert [interrupted(line) for line in ("KeyboardInterrupt", "^C", "a death signal", "^C in a line")] == [
        True, True, True, False
    ]  # fmt: skip
    assert not cancelled("JOB 7 CANCELLED AT 1 DUE TO TIME LIMIT")
    assert not cancelled("JOB 7 cancelled")


def test_what_did_not_get_better_for_long_was_stopped() -> None:
    assert finished("No optimization for a long time, auto-stopping...")
    assert not finished("no optimization for a long time")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("-------- Training ends --------", "finished"),
        ("The training is over.", "finished"),
        (">>>>>>>testing : forecast_grid_ftM_sl48<<<<<<<<<", "finished"),
        ("[2031-05-01 10:00:00] run complete @ step 5000: 62.5 min of training", "finished"),
        ("Run finished successfully.", "finished"),
        ("Training convergence attained at Epoch: 640!", "finished"),
        ("Exit and Convergence reached after 3 iterations", "finished"),
        ("Convergence reached.", "finished"),
        ("Stopping.", "finished"),
        ("Stopping training...", "finished"),
        ("Terminating for lack of improvement of the dev accuracy.", "finished"),
        ("Stopping training early due to no further improvement", "finished"),
        ("Epoch 3: stopping due to lack of improvement", None),
        ("Terminating workers due to lack of memory", None),
        ("No convergence reached", None),
        ("Convergence reached 0.1 in epoch 3", None),
        ("Epoch 3: training ends", None),
        ("> testing : grid", None),
        (">>>>>>>start training : forecast_grid<<<<<<<<<", None),
        ("Stopping criterion: 1e-5", None),
        ("Stopping workers of the evaluation", None),
        ("Epoch 00031: early stopping", "finished"),
        ("Epoch 31/90 - Early stopping.", "finished"),
        ("Epoch 3: early stopping patience 5", None),
        ("31,4.5m,0.75,Stop: 20/20", "finished"),
        ("====End training out/wide_net(baseline)====", "finished"),
        ("End training with", None),
        ("Final test accuracy = 81.5% (N=700)", "finished"),
        ("Final test loss: 0.25", "finished"),
        ("Final test accuracy is shown below", None),
        ("Epoch 3 final test accuracy: 0.5", None),
        ("EarlyStopping counter: 7 out of 7", "finished"),
        ("31,4.5m,0.75,Stop: 2/20", None),
        ("EarlyStopping counter: 6 out of 7", None),
    ],
)
def test_words_of_those_who_stop_or_converge(line: str, reason: str | None) -> None:
    assert ending(line) == reason


@pytest.mark.parametrize(("code", "endings"), [("0", [None]), ("1", [EndReason.INTERRUPTED])])
def test_a_script_that_exits_well_was_not_interrupted(code: str, endings: list[EndReason | None]) -> None:
    text = f"iter 1: loss 2.5\nTraceback (most recent call last):\n  File x\nUnknownError: SystemExit: {code}\n"
    events = LogReader().feed(text.encode())
    assert [one.ending for one in events if isinstance(one, Message) and "SystemExit" in one.text] == endings
