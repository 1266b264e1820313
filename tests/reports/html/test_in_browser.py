"""The page in a real browser: it draws, it zooms, it asks for nothing, and nothing runs but our own script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import MISSING, PROGRAM, Browser
from payloads import payloads
from screen_states import states

from itermon.reports.html.chart_data import chart_data
from itermon.reports.html.element import Html, element
from itermon.reports.html.lanes import chart_section
from itermon.reports.html.page import document, page

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=MISSING)

PLOT = "(({ left, top, width }) => [left, top, width])(document.querySelector('canvas').getBoundingClientRect())"
TIP = "document.querySelector('.tip').innerText"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> str:
    state = states()["healthy"]
    run = state.run()
    file = tmp_path_factory.mktemp("page") / "healthy.html"
    file.write_text(page(run, run.findings(state.now_s, spikes=None), title="train.log"), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (1200, True), (390, False)])
def test_it_draws_everywhere_and_asks_for_nothing(browser: Browser, healthy: str, width: int, dark: bool) -> None:
    browser.open(healthy, width=width, dark=dark)
    assert browser.value("document.documentElement.dataset.drawn") == "1248"
    assert browser.complaints == []
    assert browser.asked_for == [healthy]
    assert browser.value("document.documentElement.scrollWidth") <= width
    colours = browser.value("getComputedStyle(document.body).backgroundColor")
    assert (colours == "rgb(13, 17, 23)") is dark
    # The times are drawn: some of the canvas is not transparent.
    pixels = "(() => { const c = document.querySelector('canvas'); return c.getContext('2d')"
    pixels += ".getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v).length; })()"
    assert browser.value(pixels) > 2_000


def test_the_mouse_shows_an_iteration_and_a_drag_zooms(browser: Browser, healthy: str) -> None:
    browser.open(healthy)
    left, top, width = browser.value(PLOT)

    def at(share: float) -> float:
        return float(left + 66 + (width - 72) * share)

    browser.mouse("mouseMoved", at(250.5 / 1_248), top + 40)
    assert browser.value(TIP).splitlines()[:3] == [
        "iteration 250",
        "86.3 s",
        "evaluation + checkpoint",
    ]
    browser.mouse("mousePressed", at(0.40), top + 40, 1)
    browser.mouse("mouseMoved", at(0.45), top + 40, 1)
    browser.mouse("mouseReleased", at(0.45), top + 40)
    browser.mouse("mouseMoved", at(0.01), top + 40)
    assert browser.value(TIP).splitlines()[0] == "iteration 499"
    browser.mouse("mouseMoved", at(0.99), top + 40)
    assert browser.value(TIP).splitlines()[0] == "iteration 561"


def test_keys_go_through_the_slow_iterations_and_a_row_leads_to_the_chart(browser: Browser, healthy: str) -> None:
    browser.open(healthy)
    browser.value("document.querySelector('.chart').focus()")
    for _ in range(2):
        browser.key("n")
    assert browser.value(TIP).splitlines()[0] == "iteration 250"
    browser.value(
        "[...document.querySelectorAll('button[data-column]')].find((b) => b.innerText === '873').click()"
    )
    assert browser.value(TIP).splitlines()[:2] == ["iteration 873", "33.9 s"]
    browser.key("Escape")
    assert browser.value("getComputedStyle(document.querySelector('.tip')).display") == "none"


def test_of_ten_thousand_injections_none_runs_and_none_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    texts = payloads(10_000, seed=99)
    state = states()["healthy"]
    run = state.run()
    found = run.findings(state.now_s, spikes=None)
    data = chart_data(run, found, run.chart(0, len(run.columns) - 1, 300))
    for curve in data["curves"]:
        curve["name"] = curve["unit"] = texts[3] + "<img src=x onerror=window.run=1>"
    parts = [chart_section(found, data), *(element("p", text, title=text) for text in texts)]
    file = tmp_path / "hostile.html"
    file.write_text(document(texts[0], parts, {**data, "texts": [repr(t) for t in texts]}), encoding="utf-8")
    browser.open(file.as_uri())
    left, top, width = browser.value(PLOT)
    browser.mouse("mouseMoved", left + width / 2, top + 40)
    assert browser.value("document.documentElement.dataset.drawn") == "250"
    assert browser.value("typeof window.run") == "undefined"
    assert browser.value("document.querySelectorAll('script').length") == 2
    assert (
        browser.value(
            "document.querySelectorAll('img, svg, iframe, a, object, form, link:not([rel=icon])').length"
        )
        == 0
    )
    assert browser.value("document.querySelectorAll('p').length") >= 10_000
    assert browser.complaints == []
    assert browser.asked_for == [file.as_uri()]


def test_behind_the_escaping_stands_a_second_wall(browser: Browser, tmp_path: Path) -> None:
    """Were something forgotten, the browser would refuse it: here it is put in on purpose."""
    state = states()["healthy"]
    run = state.run()
    found = run.findings(state.now_s)
    data = chart_data(run, found, run.chart(0, 99, 50))
    hole = Html(
        "<script>window.run = 1</script><img src='http://127.0.0.1:9/a' onerror='window.run = 2'>"
        "<b id='b' style='color: red' onclick='window.run = 3'>x</b><style>p { color: red }</style>"
        "<script src='http://127.0.0.1:9/b.js'></script><link rel='stylesheet' href='http://127.0.0.1:9/c.css'>"
    )
    file = tmp_path / "hole.html"
    file.write_text(document("hole", [chart_section(found, data), hole], data), encoding="utf-8")
    browser.open(file.as_uri())
    browser.value("document.getElementById('b').click()")
    assert browser.value("typeof window.run") == "undefined"
    assert browser.value("document.documentElement.dataset.drawn") == "50"
    assert len(browser.complaints) >= 5  # and it says so
