"""Boxes whose numbers have three digits."""

from log_examples import iterations, read

from itermon.events import Message, PrintedLoss


def test_boxes_that_round_to_one_step_are_told_apart_by_their_distance() -> None:
    steps = ("996", "998", "1e+03", "1e+03", "1e+03", "1.01e+03")
    border = "-" * 23
    boxes = "\n".join(
        f"{border}\n| loss      | 0.{n}   |\n| step      | {s:9}|\n{border}" for n, s in enumerate(steps, 1)
    )
    assert [(one.index, one.loss) for one in iterations(read("guided-diffusion", boxes))] == [
        (996, 0.1), (998, 0.2), (1000, 0.3), (1002, 0.4), (1004, 0.5), (1006, 0.6),
    ]  # fmt: skip
    late = "\n".join(f"{border}\n| loss      | 0.{n}   |\n| step      | 2.06e+04 |\n{border}" for n in range(3))
    assert [one.index for one in iterations(read("guided-diffusion", late))] == [20_600]


def test_the_loss_is_the_first_known_one_and_what_it_is_not_is_a_scalar() -> None:
    border = "-" * 23
    both = f"{border}\n| loss      | 0.5   |\n| train_loss | 0.25  |\n| step      | 10    |\n{border}"
    (one,) = iterations(read("guided-diffusion", both))
    assert (one.loss, one.scalars) == (0.5, {"train_loss": 0.25})
    (alone,) = iterations(read("guided-diffusion", both.replace("| loss      | 0.5   |\n", "")))
    assert alone.loss == 0.25


def test_of_boxes_whose_step_rounds_to_one_the_newest_values_count_and_a_copy_says_nothing() -> None:
    border = "-" * 23
    losses = (0.5, 0.25, 0.25, 0.125)
    events = read("guided-diffusion", "\n".join(
        f"{border}\n| loss      | {loss}  |\n| grad_norm | 2.5 |\n| step      | 2.06e+04 |\n{border}" for loss in losses
    ))  # fmt: skip
    assert [(one.index, one.loss) for one in iterations(events)] == [(20_600, 0.5)]
    later = [one for one in events if isinstance(one, PrintedLoss)]
    assert [(one.iteration, one.loss) for one in later] == [(20_600, 0.25), (20_600, 0.125)]
    assert len([one for one in events if isinstance(one, Message)]) == 1
