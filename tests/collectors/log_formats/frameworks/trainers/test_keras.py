"""Keras: what its bar counts."""

from log_examples import iterations, of, read

from itermon.events import Config, Message

FULL = "[==============================]"


def epochs(first, each="4us/step", samples=10_613):
    """Two epochs; `first`: where the first frame of each bar stands."""
    lines = []
    for epoch in (1, 2):
        lines += (
            [f"Epoch {epoch}/2", f"{first:>5}/{samples} [>....] - ETA: 3s - loss: 2.5"]
            if first
            else [f"Epoch {epoch}/2"]
        )
        lines.append(f"{samples}/{samples} {FULL} - 1s {each} - loss: 1.5")
    return read("Keras", "\n".join(lines))


def counted(events):
    return [(one.index, one.averaged_over) for one in iterations(events)]


def test_a_bar_of_microseconds_counts_samples_and_its_first_frame_is_a_batch():
    events = epochs(1024)
    assert counted(events) == [(11, 11), (22, 11)]
    assert [round(one.duration_s, 6) for one in iterations(events)] == [0.003859] * 2  # 10,613 x 4 us in 11 steps
    assert [one.max_iterations for one in of(Config, events)] == [22]
    assert [one.text for one in of(Message, events)] == ["the bar counts samples, 1,024 a batch"]


def test_samples_without_a_first_frame_are_counted_by_the_epoch():
    events = epochs(None, "80us/sample")
    assert counted(events) == [(1, 1), (2, 1)]
    assert [round(one.duration_s, 3) for one in iterations(events)] == [0.849] * 2
    assert [one.text for one in of(Message, events)] == [
        "the bar counts samples, with no size of a batch: an iteration is an epoch here"
    ]


def test_steps_stay_steps():
    for each in ("60us/step", "2ms/step", "1s/step"):
        events = epochs(20, each, samples=1875)  # `steps_per_execution=20` draws its first frame after twenty
        assert counted(events) == [(1875, 1875), (3750, 1875)]
        assert of(Message, events) == []
