"""The page: one small file without an address in it, whose figures are those of the findings."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from figures import shown, strange_figures
from msgspec.structs import replace
from payloads import payloads
from screen_states import states

from itermon.analysis.findings import Cause, Findings, RunMessage, Spike, Verdict
from itermon.analysis.run import Run
from itermon.events import Config, Iteration, Message, RunInfo, SpanBegin
from itermon.reports.html.page import MOST_BYTES, page

TAGS = {
    *(
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "body",
        "header",
        "section",
        "footer",
        "script",
        "noscript",
    ),
    *("h1", "h2", "p", "b", "div", "span", "ul", "li", "progress", "canvas", "button", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def made(name: str) -> tuple[str, Findings]:
    state = states()[name]
    run = state.run()
    found = run.findings(state.now_s, spikes=None)
    return page(run, found, title="train.log"), found


def data_of(text: str) -> dict[str, object]:
    block = re.search(r'<script type="application/json" id="chart-data">(.*?)</script>', text)
    assert block
    return dict(json.loads(block[1]))


@pytest.mark.parametrize("name", states())
def test_every_figure_is_one_of_the_findings_and_nothing_in_it_is_an_address(name: str) -> None:
    text, found = made(name)
    read, tags = shown(text)
    assert strange_figures([read], found) == set()
    assert {tag for tag, _ in tags} <= TAGS
    assert [known for tag, known in tags if tag == "link"] == [{"rel": "icon", "href": "data:,"}]
    attributes = {attribute for tag, known in tags for attribute in known if tag != "link"}
    assert not attributes & {"src", "href", "style", "action", "srcset", "background", "ping"}
    assert not [attribute for attribute in attributes if attribute.startswith("on")]
    assert "://" not in text
    assert "url(" not in text
    assert len(text.encode()) <= MOST_BYTES


def test_a_figure_that_is_not_one_of_the_findings_is_seen() -> None:
    text, found = made("healthy")
    assert strange_figures([shown(text)[0].replace("63.6 s", "63.7 s")], found) == {("63.7", "s")}


def test_only_our_own_style_and_script_may_be_used() -> None:
    text, _ = made("healthy")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    rules = dict(rule.split(" ", 1) for rule in policy[1].replace("&#x27;", "'").split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        own = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(own) == 1
        assert rules[rule] == f"'sha256-{b64encode(sha256(own[0].encode()).digest()).decode()}'"


def test_what_a_person_sees_first_is_the_verdict_and_the_ledger() -> None:
    read, _ = shown(made("healthy")[0])
    assert read.index("Healthy") < read.index("usual iteration") < read.index("where the time went")
    assert re.search(r"EC evaluation \+ checkpoint[ |]+4 × 63\.6 s +1\.0 %", read)
    assert "98.8 %" in read
    assert "1,048,576" in read


def test_hostile_names_and_words_are_text() -> None:
    texts = payloads(300, seed=3)
    events = [
        RunInfo(name=texts[0] or "x", host=texts[1], source_format=texts[2]),
        Config(
            origin=texts[3],
            dataset=texts[4],
            gpu_name=texts[5],
            extra=dict(zip(texts[6:90], texts[90:], strict=False)),
        ),
        *(Message(text or "x") for text in texts[200:]),
        *(Iteration(n, 1.0 + 5 * (n == 30), 3.0) for n in range(60)),
        SpanBegin(texts[9] or "x", iteration=60),
    ]
    run = Run()
    run.apply(events)
    found = run.findings(spikes=None)
    found = replace(found, verdict=Verdict(headline=texts[10], evidence=tuple(texts[11:50]), next_step=texts[51]))
    found = replace(found, unknown={text: text for text in texts[60:90]})
    text = page(run, found, title=texts[55])
    assert {tag for tag, _ in shown(text)[1]} <= TAGS
    assert text.count("<script") == text.count("</script>") == 2
    assert data_of(text)["first"] == list(range(60))


def test_a_page_is_never_larger_than_it_may_be() -> None:
    slow = tuple(Spike(n, n, 5.9, 0.17, (Cause("data", 5.7, "log", "<" * 3_000),) * 9) for n in range(90))
    run = Run()
    durations = [1.0 + n * 1e-9 + 30 * (n % 7 == 0) + 9 * (n % 11 == 0) for n in range(6_000)]
    run.apply([Iteration(n + 2**50, seconds, 3.0 + n * 1e-7) for n, seconds in enumerate(durations)])
    found = Findings(
        name="&" * 3_000,
        verdict=Verdict(headline="'" * 3_000, evidence=("<" * 3_000,) * 50),
        spikes=slow,
        messages=tuple(RunMessage(f"{n}" + '"' * 2_000) for n in range(200)),
        config=Config(extra={f"name {n}": "<" * 4_000 for n in range(500)}),
        ledger=run.findings().ledger,
    )
    assert len(page(run, found).encode()) <= MOST_BYTES


def test_a_run_without_anything_is_a_page_too() -> None:
    read, _ = shown(page(Run(), Run().findings(), title="empty.log"))
    assert "empty.log" in read
    assert "no iteration seen" in read
