"""Twelve states in eight sizes: nothing is cut unmarked, shares add up, verdict and lanes name one figure."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import pytest
from screen_states import states

from itermon import words
from itermon.analysis.verdict.sentences import noun
from itermon.events import CAUSES, SourceState
from itermon.tui.drawing.lines import text, width
from itermon.tui.layout import draw_screen, enlargeable, place_panels
from itermon.tui.panels.verdict import verdict
from itermon.tui.scene import Scene

SIZES = [(200, 49), (160, 23), (120, 35), (100, 29), (80, 39), (80, 23), (60, 19), (40, 11)]
"""Columns, and rows without the line of keys."""

every_state = pytest.mark.parametrize("name", states())
every_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1] + 1}")


@cache
def scene_of(name: str) -> Scene:
    return states()[name].scene()


@cache
def screen(name: str, size: tuple[int, int]) -> list[str]:
    return [text(line) for line in draw_screen(scene_of(name), size)]


def shares(rows: list[str]) -> list[str]:
    """The shares of the lanes of causes: at their right end, or on a narrow screen left of the axis."""
    lanes = [row for row in rows if "┊" in row and "jitter" not in row]
    found = [re.search(r"([\d.]+) % *┊|([\d.]+) % ?│", row) for row in lanes]
    return [match[1] or match[2] for match in found if match]


@every_size
@every_state
def test_every_row_has_exactly_the_width_of_the_screen(name: str, size: tuple[int, int]) -> None:
    drawn = draw_screen(scene_of(name), size)
    assert len(drawn) == size[1]
    assert {width(line) for line in drawn} == {size[0]}


@every_size
@every_state
def test_every_box_is_whole(name: str, size: tuple[int, int]) -> None:
    rows = screen(name, size)
    corners = {corner: [y for y, row in enumerate(rows) for x in row if x == corner] for corner in "╭╮╰╯"}
    assert corners["╭"] == corners["╮"]
    assert corners["╰"] == corners["╯"]
    assert len(corners["╭"]) == len(corners["╰"])
    assert all(row.count("├") == row.count("┤") for row in rows)


@every_size
@every_state
def test_no_number_is_cut(name: str, size: tuple[int, int]) -> None:
    for row in screen(name, size):
        assert not re.search(r"\d[.,]?…|\d …", row.replace("(", "")), row
        for number in re.findall(r"(?<![\d.,])\d+\.\d+(?![\d.,])\s?(?:$|│)", row):
            assert "train" in row or "val" in row or "┊" in row, f"{number!r} has lost its unit: {row}"


@every_size
@every_state
def test_no_word_is_cut_without_an_ellipsis(name: str, size: tuple[int, int]) -> None:
    """Whatever is written stands in a screen that is large enough, too, unless a mark says that it goes on."""
    known = set(re.findall(r"[A-Za-z][A-Za-z-]{3,}", said(name)))
    for row in screen(name, size):
        for word in re.findall(r"[A-Za-z][A-Za-z-]{3,}(?!\w*…)", row):
            assert word in known, f"{word!r} in {row}"


@cache
def said(name: str) -> str:
    """All words of a state: of its screens large and small that have room, and of its verdict."""
    scene = scene_of(name)
    wide = [text(line) for size in [(400, 120), (178, 60), (400, 30)] for line in draw_screen(scene, size)]
    alone = [text(line) for part in enlargeable(scene) for line in draw_screen(enlarged(name, part), (300, 60))]
    return "\n".join(["others more causes", *wide, *alone, *(text(line) for line in verdict(scene.found, 1_000))])


def enlarged(name: str, part: str) -> Scene:
    state = states()[name]
    view = msgspec.structs.replace(state.view, enlarged=part)
    return type(state)(state.name, state.batches, view, state.now_s, state.title).scene()


@every_size
@every_state
def test_the_shares_of_the_lanes_add_up(name: str, size: tuple[int, int]) -> None:
    shown = shares(screen(name, size))
    if not scene_of(name).ledger:
        assert not shown
    elif shown:
        assert sum(map(float, shown)) == pytest.approx(100.0, abs=0.06 * len(shown) + 0.1)
    assert bool(shown) == bool(scene_of(name).ledger) or (size[1] < 12 and scene_of(name).opened is not None)


@every_state
def test_the_verdict_names_the_figures_of_the_lanes(name: str) -> None:
    scene = scene_of(name)
    spoken = " ".join(text(line) for line in verdict(scene.found, 10_000))
    for row in scene.ledger:
        kind = CAUSES.get(row.cause)
        for called in (noun(row.cause), kind.takes if kind else row.cause):
            for named in re.findall(rf"(?:^|[ ,]){called} ([\d.]+) %(?: \(| of the wall)", spoken, re.IGNORECASE):
                assert float(named) == float(words.percent(row.share, 1).strip("< %")), spoken


def test_what_waits_for_data_is_named_with_its_lane() -> None:
    assert "Waiting for data takes 14.8 % of the wall time" in "\n".join(screen("spiky", (120, 35)))
    assert "14.8" in shares(screen("spiky", (120, 35)))


@every_size
@every_state
def test_a_verdict_is_whole_or_says_which_key_shows_it(name: str, size: tuple[int, int]) -> None:
    placed = [(panel, rect) for panel, rect in place_panels(scene_of(name), size) if panel.name == "verdict"]
    for panel, rect in placed:
        shown = " ".join(text(line).strip() for line in panel.draw(scene_of(name), rect.size))
        whole = " ".join(text(line).strip() for line in verdict(scene_of(name).found, 10_000))
        spoken = shown.removesuffix("v more").strip()
        assert shown.endswith("v more") == (spoken != whole)
        assert spoken.endswith("…") or all(end in whole for end in re.findall(r"\S+ \S+$", spoken))
    assert bool(placed) == (size[1] >= 17 and not scene_of(name).cannot_be_read)


@pytest.mark.parametrize("size", [size for size in SIZES if size[1] >= 17], ids=str)
def test_loss_lanes_batch_gpu_and_what_to_do_next_are_seen(size: tuple[int, int]) -> None:
    rows = "\n".join(screen("healthy", size))
    for words_of in ("98.8 %", "49.9 k", "MFU", "687 / 700 W", "Healthy", "Next:", "○"):
        assert words_of in rows, words_of


@every_size
def test_the_evidence_under_the_cursor_says_cause_seconds_and_strength(size: tuple[int, int]) -> None:
    rows = screen("why", size)
    assert any("iteration 1,000 took 82.2 s" in row for row in rows)
    assert any("EC" in row and "+61.2 s" in row and "a line tells of it" in row for row in rows)


def test_a_large_screen_shows_the_newest_slow_iteration_and_the_list_of_them() -> None:
    rows = "\n".join(screen("healthy", (200, 49)))
    assert "newest: why iteration 1,000 was slow" in rows
    assert "slow iterations" in rows


@pytest.mark.parametrize("size", [(120, 35), (80, 23), (40, 11)], ids=str)
def test_what_cannot_be_read_is_said_once_and_nobody_is_told_to_wait(size: tuple[int, int]) -> None:
    rows = " ".join(screen("failed", size))
    assert "cannot read" in rows
    assert "nothing can be read" in rows
    assert "Wait" not in rows
    assert "will stand here" not in rows


def test_nobody_is_told_of_a_silence_while_the_history_is_being_read() -> None:
    state = states()["silent"]
    run = state.run()
    reading = msgspec.structs.replace(state.standing(), state=SourceState.READING)
    for standing, told in ((state.standing(), True), (reading, False)):
        drawn = draw_screen(Scene(run, run.findings(state.now_s), standing, state.view), (120, 35))
        assert any("Nothing new for" in text(line) for line in drawn) is told


@every_state
def test_what_knows_nothing_is_a_line(name: str) -> None:
    found, rows = scene_of(name).found, screen(name, (120, 35))
    assert any("╭ batch" in row for row in rows) == (found.throughput.tokens_per_iteration is not None)
    if not found.gpus and scene_of(name).has_iterations:
        assert sum("GPU – " in row for row in rows) == 1


@pytest.mark.parametrize("size", [(120, 35), (80, 23), (40, 11)], ids=str)
def test_each_part_can_have_the_screen_to_itself(size: tuple[int, int]) -> None:
    for part in enlargeable(scene_of("healthy")):
        drawn = draw_screen(enlarged("healthy", part), size)
        assert {width(line) for line in drawn} == {size[0]}
        assert len(drawn) == size[1]
        assert sum(text(line).count("╭") for line in drawn) == 1, part


def test_what_a_line_has_no_room_for_stands_in_its_panel() -> None:
    """Why nothing is known of batch and GPU is cut on a narrow screen: the panel by itself says it in full."""
    for part in ("batch", "GPU"):
        assert part in enlargeable(scene_of("no-times"))
    rows = " ".join(text(line).strip("│ ") for line in draw_screen(enlarged("no-times", "batch"), (60, 19)))
    assert scene_of("no-times").found.unknown["throughput.tokens_per_iteration"] in rows
