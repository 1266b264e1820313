"""RecBole: training and evaluation of an epoch, each on its line."""

from log_examples import iterations, of, read

from itermon.events import Config, End, SpanEnd

FRONT = "Thu 11 Jan 2024 17:35:31 INFO  "


def test_the_evaluation_is_of_the_model_of_its_epoch() -> None:
    lines = [
        f"{FRONT}epoch 7 training [time: 6.50s, train loss: 2.5000]",
        f"{FRONT}epoch 7 evaluating [time: 1.25s, valid_score: 0.500000]",
    ]
    (end,) = of(SpanEnd, read("RecBole", "\n".join(lines)))
    assert (end.after, end.duration_s, end.values) == (7, 1.25, {"valid_score": 0.5})


def test_of_several_losses_none_is_the_models() -> None:
    text = f"{FRONT}epoch 7 training [time: 6.50s, train_loss1: 2.5000, train_loss2: 0.5000]"
    assert [(one.index, one.duration_s, one.loss) for one in iterations(read("RecBole", text))] == [(7, 6.5, None)]


def test_it_may_end_before_the_epochs_that_were_planned() -> None:
    lines = [
        "epochs = 50",
        f"{FRONT}epoch 0 training [time: 6.50s, train loss: 2.5]",
        f"{FRONT}Finished training, best eval result in epoch 0",
    ]
    events = read("RecBole", "\n".join(lines))
    assert [one.max_iterations for one in of(Config, events)] == [50]
    assert len(of(End, events)) == 1
