"""Values that a bar shows behind the step that they are of, or before it is counted."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read_to_end

from itermon.collectors.log_formats.between.late_values import LateValues, late_row
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import PrintedLoss


def frame(n: int, postfix: str = "", elapsed_s: float | None = None, title: str = "Train") -> str:
    at_s = 2.0 * n if elapsed_s is None else elapsed_s
    rate = "2.00s/it" if n else "?it/s"
    return f"{title}: {n}%|█ | {n}/9 [00:{at_s:02.0f}<00:30, {rate}{', ' * bool(postfix)}{postfix}]\n"


def losses(text: str) -> list[tuple[int, float | None]]:
    """Of each step the loss that counts: a later one is the step's own."""
    events = read_to_end("tqdm", text)
    found = {one.index: one.loss for one in iterations(events)}
    found |= {one.iteration: one.loss for one in of(PrintedLoss, events) if one.loss is not None}
    return sorted(found.items())


def test_of_two_frames_of_a_step_the_last_one_has_its_values_where_they_are_set_behind_it() -> None:
    text = frame(0) + frame(1) + frame(1, "loss=2.5") + frame(2, "loss=2.5") + frame(2, "loss=2.0")
    assert losses(text + frame(3, "loss=2.0")) == [(1, 2.5), (2, 2.0), (3, None)]
    assert losses(text + frame(3, "loss=2.0") + frame(3, "loss=1.5")) == [(1, 2.5), (2, 2.0), (3, 1.5)]


def test_of_two_frames_of_a_step_the_first_one_has_its_values_where_they_are_set_before_it() -> None:
    text = frame(0) + frame(0, "loss=2.5") + frame(1, "loss=2.5") + frame(1, "loss=2.0") + frame(2, "loss=2.0")
    assert losses(text + frame(2, "loss=1.5")) == [(1, 2.5), (2, 2.0)]


def test_a_frame_that_is_drawn_once_has_its_own() -> None:
    text = "".join(frame(n, f"loss={3 - n / 4}" if n else "") for n in range(4))
    assert losses(text) == [(1, 2.75), (2, 2.5), (3, 2.25)]
    late = frame(0) + frame(1) + frame(1, "loss=2.5")  # and later on some frames are not drawn
    assert losses(late + frame(3, "loss=2.0") + frame(5, "loss=1.5")) == [(1, 2.5), (3, 2.0), (5, 1.5)]


def test_a_value_that_came_much_later_than_its_step_was_counted_is_of_the_next_one() -> None:
    text = frame(0) + frame(1) + frame(1, "loss=2.5", 4.0) + frame(2, "loss=2.5") + frame(2, "loss=2.0", 6.0)
    assert losses(text) == [(1, None), (2, 2.5)]


def test_the_bar_of_the_next_epoch_is_drawn_as_that_of_the_first() -> None:
    first = frame(0, title="Epoch 1") + frame(1, title="Epoch 1") + frame(1, "loss=2.5", title="Epoch 1")
    second = frame(0, "loss=2.5", title="Epoch 2") + frame(1, "loss=2.5", title="Epoch 2")
    assert losses(first + second + frame(1, "loss=1.5", title="Epoch 2")) == [(1, 2.5), (10, 1.5)]


@pytest.mark.parametrize("begins", [0, 500])
def test_a_bar_may_go_on_where_a_checkpoint_left_it(begins: int) -> None:
    def bar(n: int, postfix: str = "") -> Bar:
        return Bar("", begins + n, 999, 2.0 * n, 2.0 if n else None, postfix)

    values = LateValues()
    shown = [values.own(one) for one in (bar(0), bar(1), bar(1, "loss=2.5"), bar(2, "loss=2.5"), bar(2, "loss=2"))]
    assert [(own.postfix, again) for own, again in shown] == [
        ("", False),
        ("", False),
        ("loss=2.5", True),
        ("", False),
        ("loss=2", True),
    ]


def test_what_a_later_frame_says_has_all_its_values() -> None:
    found = late_row("loss=2.5, lr=0.5, acc=0.25", 7)
    assert (found.iteration, found.loss, found.scalars) == (7, 2.5, {"learning_rate": 0.5, "acc": 0.25})
    assert late_row("loss=nan", 7).bad_loss == "nan"


@pytest.mark.parametrize(
    ("title", "postfix", "once"),
    [
        ("Loss: {:.4e} BC: 0.5", "", True),
        ("Loss: {:.1f} BC: 0.5", "", False),  # so few digits may be those of many steps
        ("Train", "loss={:.4e}", False),
    ],
)
def test_a_loss_that_stands_in_the_title_until_it_is_set_anew_counts_once(
    title: str, postfix: str, once: bool
) -> None:
    def bar(n: int) -> str:
        value = 2.5 / (1 + n // 10)
        behind = f", {postfix.format(value)}" if postfix else ""
        return f"{title.format(value)}:   1%|█ | {n}/999 [00:{n // 10:02d}<00:30, 10.00it/s{behind}]\n"

    found = losses("".join(map(bar, range(201))))
    assert len([one for _, one in found if one is not None]) == (8 * 10 + 12 if once else 200)
    assert found[-1][1] is not None


@pytest.mark.parametrize(("first", "known"), [("loss=2.5", True), ("", False)])
@pytest.mark.parametrize("behind", ["Validating:  20%|█ | 1/5 [00:01<00:04, 1.00s/it]\n", frame(0), ""])
def test_the_last_step_of_a_bar_that_is_erased_is_that_whose_values_its_newest_frame_has(
    first: str, known: bool, behind: str
) -> None:
    """They are set before the step is counted, as the first frames show."""
    began = frame(0) + frame(0, first) * known + frame(1, "loss=2.5")
    text = began + frame(8, "loss=2.0", 16.0) + frame(8, "loss=1.5", 16.0)
    assert losses(text + behind) == [(1, 2.5), (8, 2.0), *([(9, 1.5)] if known else [])]
    assert losses(text + "an epoch is over\n")[-1] == (8, 2.0), "what another line ends may have been broken off"


def test_a_bar_that_counts_every_so_many_steps_shows_newer_losses_in_its_last_frames() -> None:
    shown = frame(0) + frame(0, "loss=2.5") + frame(4, "loss=2.0") + frame(4, "loss=1.75") + frame(4, "loss=1.5")
    assert losses(shown) == [(4, 1.5)]
    assert losses(shown + "done\n") == [(4, 1.5)]
    assert losses(shown + frame(8, "loss=1.25")) == [(4, 2.0), (8, 1.25)], "steps go on"


@pytest.mark.parametrize(("mean", "newest"), [(1.875, 1.875), (90.5, 1.5), (1.25, 1.5)])
def test_a_line_behind_a_bar_tells_the_mean_of_the_losses_that_it_showed(mean: float, newest: float) -> None:
    """A sum of them, or another loss, is none."""
    text = frame(0) + frame(2, "loss=2.5") + frame(5, "loss=2.0") + frame(9, "loss=1.5")
    assert losses(f"{text}Epoch 1/2 | Train Loss: {mean} | Val Loss: 1.75\n")[-1] == (9, newest)


def test_the_mean_that_is_set_behind_the_validation_is_the_epochs() -> None:
    """The validation's values are set first: until then the loss of the epoch before stands there."""

    def epoch(number: int, before: str, *behind: str) -> str:
        title = f"Epoch {number}"
        first = frame(4, "v_num=3" + before, 4.0, title)
        return first + "".join(frame(9, postfix, 9.0, title) for postfix in ("v_num=3" + before, *behind))

    text = epoch(0, "", "v_num=3, val_loss=3.0", "v_num=3, val_loss=3.0, train_loss=2.5")
    stale, own = "v_num=3, val_loss=2.0, train_loss=2.5", "v_num=3, val_loss=2.0, train_loss=1.5"
    text += epoch(1, ", val_loss=3.0, train_loss=2.5", stale, own)
    told = [one for one in of(PrintedLoss, read_to_end("Lightning", text)) if one.iteration == 18]
    assert [(one.loss, one.newer) for one in told] == [(2.5, False), (1.5, True)]
