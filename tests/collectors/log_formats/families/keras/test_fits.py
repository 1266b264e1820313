"""Which call of Keras' `fit` a bar without a heading is of."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.families.keras.fits import Broken, Fits
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config

FULL = "[==============================]"


def fits(*first_and_last: tuple[float, float], headed: bool = False) -> list[bool]:
    calls, found = Fits(), []
    for first, last in first_and_last:
        calls.call(headed=headed)
        found.append(calls.anew(f" 32/960 [>....] - ETA: 9s - loss: {first} - acc: 0.5"))
        assert not calls.anew(" 64/960 [>....] - ETA: 9s - loss: 90.5")
        calls.newest = last
    return found


def test_calls_of_fit_without_headings_train_on_unless_the_loss_begins_anew():
    assert fits((2.5, 0.25), (2.25, 0.5), (2.75, 0.5)) == [False, True, True]
    assert fits((2.5, 0.75), (0.625, 0.5), (0.75, 0.25), (0.6, 0.25)) == [False] * 4
    assert fits((2.5, 0.25), (2.25, 0.5), headed=True) == [False, False]


def test_a_full_bar_with_a_validation_and_a_loss_of_its_own_is_not_drawn_again() -> None:
    calls = Fits()
    assert not calls.is_another(0.5, validated=True)  # it is the first
    calls.newest = 0.5
    found = [calls.is_another(loss, validated=validated) for loss, validated in ((0.5, True), (0.25, False))]
    assert found == [False, False]
    assert calls.is_another(0.25, validated=True)
    assert not calls.is_another(None, validated=True)


def test_a_bar_that_falls_back_without_a_heading_has_no_place_until_one_comes() -> None:
    broken, line = Broken(), LogLine("", None)
    for done, known in ((40, True), (90, True), (20, False), (60, False)):
        broken.see({"batch": done, "batches": 100}, line)
        assert (broken.newest is not None) is known
    assert broken.over() is None
    broken.see({"batch": 10, "batches": 100}, line)
    assert broken.over() == ({"batch": 10, "batches": 100}, line)
    broken.see({"batch": 5, "batches": 50}, line)
    broken.see({"batch": 3, "batches": 20}, line)  # of another length: another bar
    assert broken.newest is not None


def validated(loss: float) -> str:
    return f"200/200 {FULL} - 2s 8ms/step - loss: {loss} - val_loss: {loss + 0.5}"


def test_a_fit_of_one_epoch_behind_one_of_several_has_no_heading_and_is_a_training_of_its_own() -> None:
    headed = [f"Epoch 1/2\n{validated(2.5)}", f"Epoch 2/2\n{validated(1.5)}"]
    events = read("Keras", "\n".join([*headed, validated(0.75), validated(3.5)]))
    assert [(one.index, one.loss) for one in iterations(events)] == [
        (200, 2.5),
        (400, 1.5),
        (200, 0.75),
        (200, 3.5),
    ]
    assert [one.max_iterations for one in of(Config, events)] == [400, 200, 200]
    drawn_again = read("Keras", "\n".join([*headed, validated(1.5)]))
    assert [one.index for one in iterations(drawn_again)] == [200, 400]


def test_an_epoch_whose_heading_was_lost_is_the_next_one_of_its_fit() -> None:
    rows = [f"Epoch 1/3\n{validated(2.5)}", validated(1.5), f"Epoch 3/3\n{validated(0.75)}"]
    events = read("Keras", "\n".join(rows))
    assert [(one.index, one.loss) for one in iterations(events)] == [(200, 2.5), (400, 1.5), (600, 0.75)]
    assert [one.max_iterations for one in of(Config, events)] == [600]


def test_a_bar_without_an_end_that_fell_back_without_a_heading_tells_of_no_step() -> None:
    begun = ["Epoch 1/3", validated(2.5), "Epoch 2/3", " 40/200 [==>...] - ETA: 9s - loss: 1.5"]
    assert [one.index for one in iterations(whole_log(begun))] == [200, 240]
    fell = [*begun, "190/200 [====>.] - ETA: 0s - loss: 1.25", " 20/200 [>....] - ETA: 12s - loss: 0.5"]
    assert [one.index for one in iterations(whole_log(fell))] == [200]


def whole_log(lines: list[str]) -> list[object]:
    reader = LogReader()
    return [*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]
