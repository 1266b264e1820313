"""What a terminal would obey never leaves `clean`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.collectors.clean import MOST_CHARACTERS, clean, clean_lines, numbered_lines

ESC = "\x1b"


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (f"a{ESC}[2Jb", "ab"),
        (f"{ESC}[31;1mred{ESC}[0m", "red"),
        (f"a{ESC}[?1049lb", "ab"),
        (f"a{ESC}]52;c;aGVsbG8={ESC}\\b", "ab"),
        (f"a{ESC}]52;c;aGVsbG8=\x07b", "ab"),
        (f"a{ESC}]0;title\x07b", "ab"),
        (f"a{ESC}]0;unterminated", "a"),
        (f"a{ESC}]0;cut{ESC}[2Jb", "ab"),
        (f"a{ESC}cb", "ab"),
        (f"a{ESC}ktitle{ESC}\\b", "ab"),
        (f"a{ESC}P1$r\x07b", "ab"),
        (f"a{ESC}_apc{ESC}\\b", "ab"),
        (f"a{ESC}(Bb", "ab"),
        (f"a{ESC}", "a"),
        (f"a{ESC}[", "a"),
        ("a\x9b2Jb", "ab"),
        ("a\x9d0;title\x9cb", "ab"),
        ("a\x07b", "a\ufffdb"),
        ("a\x08b", "a\ufffdb"),
        ("a\x00b\x0eb\x0f", "a\ufffdb\ufffdb\ufffd"),
        ("a\x7fb", "a\ufffdb"),
        ("a\u202eb", "a\ufffdb"),
        ("a\u200bb", "a\ufffdb"),
        ("a\udc80b", "a\ufffdb"),
        ("a\nb", "a b"),
        ("a\u2028b\xa0c", "a b c"),
        ("a\tb", "a       b"),
        (" 10%|#\r 20%|##\r 30%|###", " 30%|###"),
        (" 30%|###\r", " 30%|###"),
        ("plain\r\n", "plain"),
        ("[/foo] [link=x]y[/link] loss=[nan]", "[/foo] [link=x]y[/link] loss=[nan]"),
        ("40 % ▕███▋ ⣀⣤ é 学习", "40 % ▕███▋ ⣀⣤ é 学习"),
        ("e" + "\u0301" * 50 + "x", "e" + "\u0301" * 4 + "x"),
        ("", ""),
    ],
)
def test_what_a_terminal_would_obey_is_gone_and_the_rest_stays(payload: str, shown: str) -> None:
    assert clean(payload) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_comes_in_what_comes_out_is_printable_and_clean_already(text: str) -> None:
    once = clean(text)
    assert once.isprintable()
    assert clean(once) == once


def test_a_line_is_cut_where_no_screen_shows_it() -> None:
    assert clean("x" * 100_000) == "x" * MOST_CHARACTERS
    assert len(clean("\t" * 1_000)) == MOST_CHARACTERS


def test_printable_ascii_comes_back_as_it_is() -> None:
    line = "iter 250: loss 4.2670, time 17903.67ms, mfu 51.70%"
    assert clean(line) is line


def test_the_mark_at_the_beginning_of_a_file_is_no_part_of_its_first_line() -> None:
    assert list(clean_lines(b"\xef\xbb\xbfstep 1\nstep 2\n")) == ["step 1", "step 2"]


def test_lines_are_numbered_and_the_frames_of_one_share_its_number() -> None:
    data = "one\na█\x1b[0m\rb\r\n\n\ttwo\n\ufefflast".encode()
    lines = [(7, "one"), (8, "a█"), (8, "b"), (9, ""), (10, "        two"), (11, "last")]
    assert list(numbered_lines(data, 7)) == lines


def test_a_bar_that_is_drawn_below_another_keeps_a_trace_of_it() -> None:
    assert list(clean_lines(b"1/2 [00:01<00:01]  \x1b[A\nred\x1b[A\n")) == ["1/2 [00:01<00:01][A", "red"]


def test_a_line_that_is_no_utf_8_may_be_chinese() -> None:
    chinese = "2026-03-12 - 训练完成, 损失: 0.5".encode("gb18030")
    latin = "l'époque où ça coûte 3 €".encode("cp1252")
    lines = [*clean_lines(b"\n".join([chinese, latin, "époque, 训练".encode(), b"plain"]))]
    assert lines[0] == "2026-03-12 - 训练完成, 损失: 0.5"
    assert lines[1].startswith("l'\ufffdpoque")
    assert lines[2:] == ["époque, 训练", "plain"]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "2/9 [00:02<00:07,  1.00s/it]epoch: 2, loss: 0.5",
            ["2/9 [00:02<00:07,  1.00s/it]", "epoch: 2, loss: 0.5"],
        ),
        ("2█ [00:02, 1.00it/s, loss=0.5][5] ok", ["2█ [00:02, 1.00it/s, loss=0.5]", "[5] ok"]),
        ("1/9 [00:01<?, ?it/s]a: 2/9 [00:02, 1.0it/s]b", ["1/9 [00:01<?, ?it/s]", "a: 2/9 [00:02, 1.0it/s]", "b"]),
        ("2/9 [00:02<00:07, 1.00s/batch]slurm: killed", ["2/9 [00:02<00:07, 1.00s/batch]", "slurm: killed"]),
        ("2/9 [00:02<00:07, 1.00step/s]{'loss': 0.5}", ["2/9 [00:02<00:07, 1.00step/s]", "{'loss': 0.5}"]),
        ("2/9 [00:02<00:07,  1.00s/it] loss: 0.5", None),  # the bar's own, by its format
        ("2/9 [00:02<00:07,  1.00s/it], loss: 0.5", None),
        ("2/9 [00:02<00:07,  1.00s/it][A", None),
        ("speed [it/s]: 5", None),
        ("[Test] 3/3 [====] 1.5s/stepStep: 2, Loss: 0.5", ["[Test] 3/3 [====] 1.5s/step", "Step: 2, Loss: 0.5"]),
        ("9/9 ━━━━━ 1s 5ms/stepAccuracy: 0.5", ["9/9 ━━━━━ 1s 5ms/step", "Accuracy: 0.5"]),
        ("9/9 [====] - 1s 5ms/step - loss: 0.5", None),
        ("9/9 [====] 5ms/steps", None),
        ("takes 5ms/stepStep: 2", None),
        ("s/stepStep: 2 [====]", None),
    ],
)
def test_what_stands_directly_behind_a_bar_is_a_line_of_its_own(line: str, parts: list[str] | None) -> None:
    assert list(numbered_lines(line.encode() + b"\n", 5)) == [(5, part) for part in parts or [line]]


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("step 7 d_loss: 0.5, g_loss: 0.25WARNING:tensorflow:From model.py:163: ...", 32),
        ("iter 7 loss 0.5INFO:root:saving", 15),
        ("9/9 ━━━━ 1s 5ms/step - loss: 0.5WARNING:tensorflow:Can save best model only", 32),
        ("9/9 [====] - 1s 5ms/step - loss: 0.5WARNING:tensorflow:Can save best model only", 36),
        ("loss=1.5e-05Traceback (most recent call last):", 12),
        ("12:00:01.5INFO: step 3 loss 0.5", 0),  # a stamp without a blank behind it
        ("2026-01-01 12:00:01,123WARNING: loss 0.5", 0),
        ("loss: 0.5 WARNING: none", 0),
        ("port: 8080INFO: up", 0),
    ],
)
def test_what_a_library_reports_behind_a_rows_last_number_is_a_line_of_its_own(line: str, end: int) -> None:
    parts = [line[:end], line[end:]] if end else [line]
    assert list(numbered_lines(line.encode() + b"\n", 5)) == [(5, part) for part in parts]


@pytest.mark.parametrize("end", ["", "\r"])
@pytest.mark.parametrize("key", ["^[OQ", "^[[A", "^[[15~", "^[OP^[OP"])
def test_a_key_that_somebody_presses_is_no_part_of_what_is_printed(key: str, end: str) -> None:
    assert [*clean_lines(f"{key}Ep: 550, Loss: 0.5{end}\n".encode())] == ["Ep: 550, Loss: 0.5"]
    assert [*clean_lines(b"Ep^[^x]*: 5")] == ["Ep^[^x]*: 5"]


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("ep 7 | loss 0.5 | acc 88.75%Test 7/9:  80%|████  | 8/10 [00:03<00:01,  2.00it/s]", 28),
        ("ep 7 loss 0.25Epoch 8: 100%|████| 8/8 [00:03<00:00, 2.00it/s]then", 14),
        ("shard 1.5Gb of it: 80 |██| 8/10 [00:03<00:01, 2.00it/s]", 0),
        ("Test v1.5: 80%|████  | 8/10 [00:03<00:01, 2.00it/s]", 0),
        ("Test 1.5 Epoch 8: 80%|████  | 8/10 [00:03<00:01, 2.00it/s]", 0),
    ],
)
def test_a_bar_behind_a_row_without_a_newline_is_a_line_of_its_own(line: str, end: int) -> None:
    bar, glued, behind = line[end:].partition("then")
    parts = [line[:end], bar, glued + behind] if glued else [line[:end], bar] if end else [line]
    assert list(numbered_lines(line.encode() + b"\n", 5)) == [(5, part) for part in parts]


def test_what_stands_behind_a_bar_with_many_values_is_a_line_of_its_own() -> None:
    values = ", ".join(f"train_metric_{n}_epoch={n}.500" for n in range(40))
    bar = f"Epoch 4:   0%|          | 0/83 [00:00<?, ?it/s, {values}]"
    assert [*clean_lines(f"{bar}INFO:root:Saved parameters to out/4.pt\n".encode())] == [
        bar,
        "INFO:root:Saved parameters to out/4.pt",
    ]
