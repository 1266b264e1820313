"""NeMo's bar: its batch and epoch are the step, and a validation's result stays in it."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd


def frame(epoch, batch, val_loss=None):
    said = f", val_loss={val_loss}" if val_loss else ""
    return f"Epoch {epoch}: :  50%|█| {batch}/2000 [06:19<07:13, v_num=g, reduced_train_loss=11.50{said}, train_step_timing in s=12.50]"


def test_without_a_global_step_the_batches_of_all_epochs_are_counted():
    events = read("NeMo", "\n".join((frame(0, 0), frame(0, 7), frame(0, 8), frame(1, 3))))
    assert [i.index for i in iterations(events)] == [6, 7, 2002]


def test_a_result_is_an_evaluation_where_it_comes_or_changes():
    frames = ((1, None), (2, 2.5), (3, 2.5), (4, None), (5, 2.5), (6, 2.25))
    events = read("NeMo", "\n".join(frame(0, batch, val_loss) for batch, val_loss in frames))
    assert [(one.iteration, one.values["val_loss"]) for one in of(SpanEnd, events)] == [
        (2, 2.5),
        (5, 2.5),
        (6, 2.25),
    ]
