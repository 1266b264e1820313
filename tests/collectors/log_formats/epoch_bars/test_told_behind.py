"""Lines behind bars say how many epochs are over, whatever a console has kept of the bars."""

from log_examples import iterations

from itermon.collectors.logs.reader import LogReader


def indices(text: str) -> list[int]:
    reader = LogReader()
    return [one.index for one in iterations([*reader.feed(text.encode()), *reader.end(b"")])]


def test_of_two_bars_of_one_length_in_front_of_an_epoch_s_line_the_first_trains() -> None:
    bars = "100%|##########| 7/7 [00:00<00:00,  8.50it/s]\n100%|##########| 7/7 [00:00<00:00, 21.00it/s]\n"
    found = indices("".join(f"{bars}epoch={n}: train_loss=0.5 eval_loss=0.625\n" for n in range(12)))
    assert found[-1] == 84
    assert found == sorted(set(found))


def test_an_epoch_whose_last_frames_are_lost_is_over_where_its_line_says_so() -> None:
    frames = "".join(f" {n}%|#  | {n}/100 [00:{n // 2:02d}<00:10,  2.00it/s]\n" for n in (20, 40, 60))
    last = "100%|###| 100/100 [00:50<00:00,  2.00it/s]\n"
    found = indices("".join(f"{frames}{last * (n < 4)}[ Valid | 00{n}/009 ] loss = 0.5\n" for n in range(1, 9)))
    assert found[-1] == 800
    assert found == sorted(set(found))
