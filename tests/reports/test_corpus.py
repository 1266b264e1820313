"""The pages and comments of real logs, where they are at hand: every figure is one of `--json`, and each fits."""

from __future__ import annotations

from html import unescape

import pytest
from figures import shown, strange_figures
from real_logs import CORPUS

from itermon.cli.reading import read_to_the_end
from itermon.cli.sources import OpenOptions, open_sources
from itermon.reports.html.page import MOST_BYTES, page
from itermon.reports.markdown.report_markdown import MOST_CHARACTERS, report_markdown

ABOUT_BYTES = 50_000
KINDS = (
    "nanogpt",
    "hf_trainer",
    "llm.c",
    "nanochat",
    "torchtitan",
    "megatron",
    "lightning",
    "keras",
    "mmcv",
    "jsonl",
)
KINDS += ("fairseq", "composer", "verl", "deepspeed", "maxtext")

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the real logs are not part of the project")


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_real_log_every_figure_is_one_of_the_findings(kind: str) -> None:
    log = min((CORPUS / kind).iterdir(), key=lambda p: (abs(p.stat().st_size - ABOUT_BYTES), p.name))
    run = read_to_the_end(open_sources([str(log)], OpenOptions([])))
    found = run.findings(spikes=None)
    html, comment = page(run, found, title="the log"), report_markdown(run, found, title="the log")
    assert strange_figures([shown(html)[0], unescape(comment)], found) == set()
    assert len(html.encode()) <= MOST_BYTES
    assert len(comment) <= MOST_CHARACTERS
