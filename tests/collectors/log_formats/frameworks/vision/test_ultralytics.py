"""Ultralytics: a bar for each epoch, titled with its row of losses."""

from log_examples import iterations, read


def test_full_bars_of_two_epochs_are_two_though_they_took_as_long() -> None:
    log = "\n".join(
        f"       {epoch}/25      6.5G      1.5      3.25      2.125         28        800: 100% 50/50 [00:{seconds}<00:00,  2.00it/s]"
        for epoch, seconds in ((1, 26), (2, 25), (3, 25))
    )
    found = iterations(read("Ultralytics YOLO", log))
    assert [(i.index, i.duration_s, i.averaged_over) for i in found] == [
        (50, 0.52, 50),
        (100, 0.5, 50),
        (150, 0.5, 50),
    ]
