r"""Notebooks write tabs and colours of what was printed as `\t` and `\u001b[..m`."""

import pytest

from itermon.collectors.clean import clean_lines
from itermon.collectors.escaped import unescaped


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (r'      "[5]\ttrain-rmse:0.5\teval-rmse:0.75\n",', r'      "[5]    train-rmse:0.5    eval-rmse:0.75\n",'),
        (r'      "\u001b[1;35mepoch 3\u001b[0m [time: 2.5s]\n",', r'      "epoch 3 [time: 2.5s]\n",'),
        (r'      "C:\\train\\test\n"', r'      "C:\\train\\test\n"'),
        (r'{"text": "a\tb"}', r'{"text": "a\tb"}'),
        (r"step 3 \t loss 0.5", r"step 3 \t loss 0.5"),
        (r'      "\u001b[A  50%|##"', r'      "\u001b[A  50%|##"'),
    ],
)
def test_only_strings_of_a_notebook_are_shown_as_they_were_printed(line: str, shown: str) -> None:
    assert unescaped(line) == shown
    assert [*clean_lines(line.encode())] == [shown]
