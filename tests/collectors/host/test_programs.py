"""Another program's output is bounded in time and length."""

import sys

from itermon.collectors.host.programs import output_of


def printed(code: str, longest_s: float = 60.0, most_bytes: int = 1_000) -> tuple[bytes, str]:
    return output_of([sys.executable, "-c", code], longest_s, most_bytes)


def test_both_of_its_streams_are_told_apart_and_it_has_no_input() -> None:
    told, said = printed("import sys; print(sys.stdin.read(), 3); print('odd', file=sys.stderr)")
    assert (told, said) == (b" 3\n", "odd\n")


def test_what_prints_without_end_is_cut() -> None:
    assert printed("while True: print('x' * 100)")[0] == (b"x" * 100 + b"\n") * 9 + b"x" * 91


def test_what_never_answers_is_ended() -> None:
    assert printed("import time; time.sleep(1_000)", longest_s=0.05) == (b"", "")
