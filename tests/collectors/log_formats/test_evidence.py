"""Which columns are a training's."""

import pytest

from itermon.collectors.log_formats.evidence import loses_else, of_a_training, shared_prefix


@pytest.mark.parametrize(
    "names",
    [
        "Wall time,Step,Value",
        "step,loss",
        "epoch,time,val_accuracy",
        "Generation,Best",
        "episode,episode_reward",
        "iter,dt_ms",
        "Update,EnvSteps,meanReturn",
        "loss,lr",
        "train_loss,valid_loss",
        "Epoch,GPU_mem,box,cls",
        "Wall time,Step,Value,lr",
    ],
)
def test_a_training_s_columns(names):
    assert of_a_training(names.split(","))


@pytest.mark.parametrize(
    "names",
    [
        "step,temperature,humidity",
        "iteration,residual,time",
        "iteration,error,time",
        "batch,weight,length",
        "month,revenue,loss",
        "time,entry,stop_loss",
        "Batch,Loss (dB),Length (m)",
        "Step,Loss[dB]",
        "date,steps,distance",
        "step,duration,status",
        "",
    ],
)
def test_other_columns(names):
    assert not of_a_training(names.split(","))


def test_a_loss_in_percent_or_decibel_is_another_s():
    assert all(map(loses_else, ("batch 3 loss: 2%", "loss=0.5 dB", "Loss: 12.5 %")))
    assert not any(map(loses_else, ("loss: 2.5", "loss: 2.5, 10%", "val acc: 50%", "loss 2.5 (dropout 5%)")))


def test_of_a_line_its_first_2_000_characters_are_looked_at() -> None:
    assert loses_else("x" * 1_990 + " loss: 2%")
    assert not loses_else("x" * 2_000 + " loss: 2%")


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        ("stage2_step,stage2_mse,stage2_val_mse,stage2_lr", "stage2_"),
        ("gan/iter,gan/loss_g,gan/loss_d", "gan/"),
        ("pre.epoch,pre.loss,pre.lr", "pre."),
        ("stage2_step,stage2_mse,lr", ""),
        ("val_step,val_loss,val_acc", ""),  # whose they are
        ("global_step,global_loss,global_lr", ""),  # one counts as it is
        ("loss_a,loss_b,loss_c", ""),  # nothing counts
        ("stage2_step,stage2_lr", ""),
        ("step,stem,stew", ""),
    ],
)
def test_what_stands_in_front_of_all_names_is_none_of_them(names: str, prefix: str) -> None:
    assert shared_prefix((*names.split(","),)) == prefix


def test_settings_with_a_number_of_epochs_and_a_batch_size_are_no_row():
    assert not of_a_training(["step", "learning_rate", "epochs", "steps", "batch_size"])
    assert of_a_training(["learning_rate", "epochs", "batch_size", "loss"])
