"""A run as a comment: the verdict first, one table, the rest behind a click; never more than GitHub takes."""

from html import unescape

import pytest
from figures import strange_figures
from markdown_it import MarkdownIt
from msgspec.structs import replace
from screen_states import states

from itermon.analysis.findings import Cause, Findings, RunMessage, Spike, Verdict
from itermon.analysis.run import Run
from itermon.events import Config
from itermon.reports.markdown.report_markdown import MOST_CHARACTERS, fitting, report_markdown


def comment(name: str) -> tuple[str, Findings]:
    state = states()[name]
    run = state.run()
    found = run.findings(state.now_s, spikes=None)
    return report_markdown(run, found, title="train.log"), found


def test_the_verdict_is_first_and_the_ledger_is_a_table() -> None:
    text, found = comment("healthy")
    lines = text.splitlines()
    assert lines[0] == "### gpt2-xl-fineweb · nanoGPT log · gpu-box-1"
    assert lines[2] == f"**{found.verdict.headline}**"
    assert "time  " in text
    assert "usual 21.0 s · slowest 86.3 s" in text
    row = next(line for line in lines if line.startswith("| EC evaluation"))
    assert row.split(" | ")[2:] == ["4 × 63.6 s", "4 m 14 s", "1.0 % |"]
    assert row.count("▮") == 4
    assert "| 1,000 **EC** | 82.2 s |" in text
    assert "| `micro_batch_size` | `16` |" in text


@pytest.mark.parametrize("name", states())
def test_every_figure_is_one_of_the_findings(name: str) -> None:
    text, found = comment(name)
    assert strange_figures([unescape(text)], found) == set()
    assert len(text) <= MOST_CHARACTERS


def test_a_figure_that_is_not_one_of_the_findings_is_seen() -> None:
    text, found = comment("healthy")
    assert strange_figures([unescape(text).replace("63.6 s", "63.7 s")], found) == {("63.7", "s")}


def test_a_comment_is_never_longer_than_github_takes() -> None:
    slow = tuple(Spike(n, n, 5.9, 0.17, (Cause("data", 5.7, "log", "*" * 3_000),) * 9) for n in range(90))
    found = Findings(
        name="|" * 3_000,
        verdict=Verdict(headline="_" * 3_000, evidence=("<" * 3_000,) * 50),
        spikes=slow,
        messages=tuple(RunMessage(f"{n}" + "`" * 2_000) for n in range(200)),
        config=Config(extra={f"name {n}": "|" * 4_000 for n in range(500)}),
    )
    text = report_markdown(Run(), found)
    assert len(text) <= MOST_CHARACTERS
    assert "More than fits in a comment" in text
    assert max(map(len, text.splitlines())) <= 8_192  # longer lines are cut where they are printed


def test_whole_blocks_are_left_out_and_a_line_says_so() -> None:
    assert fitting(["a", "", "b"]) == "a\n\nb\n"
    cut = fitting(["a", "x" * MOST_CHARACTERS, "b"])
    assert cut.splitlines()[::2] == ["a", "b", "*More than fits in a comment: `itermon report` prints the rest.*"]


def test_a_run_without_anything_is_a_comment_too() -> None:
    text = report_markdown(Run(), Run().findings(), title="empty.log")
    assert text.startswith("### empty.log\n")
    assert "no iteration seen" in text


def test_it_is_the_markdown_that_it_seems_to_be() -> None:
    text, found = comment("healthy")
    found = replace(found, name="</details>@all")
    tokens = MarkdownIt("gfm-like", {"html": True}).parse(text)
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 1
    assert kinds.count("table_open") == 4
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert html.count("<details>") == html.count("</details>") == text.count("<details>")
