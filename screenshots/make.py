"""Renders the pictures: `python screenshots/make.py` writes an SVG for each; with `--png` PNGs next to them.

With `--all FOLDER` it draws every state in every size there instead, to be looked at: as PNGs, and as text.

The states are those of the tests, and one is of the real recording that ships with itermon. A test compares every
picture: none can show what the code does not draw.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))  # the states are those that the tests share

from recorded_state import recorded  # noqa: E402
from screen_states import State, states  # noqa: E402
from svg import svg  # noqa: E402

from itermon.tui import keys  # noqa: E402
from itermon.tui.drawing.lines import Block, fit  # noqa: E402
from itermon.tui.drawing.theme import theme_for  # noqa: E402
from itermon.tui.layout import draw_screen  # noqa: E402

SIZES = ((200, 50), (160, 24), (120, 36), (100, 30), (80, 40), (80, 24), (60, 20), (40, 12))
"""Of the terminals that people have: large, wide, usual, a split beside an editor, a phone."""

RECORDED = "recorded"
"""The real run: shortly after an iteration of its eleventh hour, with the reader at an earlier stop."""

# name of the picture -> state, size, ASCII only?
PICTURES: dict[str, tuple[str, tuple[int, int], bool]] = {
    "watch": (RECORDED, (120, 36), False),
    "why": ("why", (120, 36), False),
    "moved": ("moved", (120, 36), False),
    "wide": ("eight-gpus", (200, 50), False),
    "log-only": ("log-only", (120, 36), False),
    "small": ("healthy", (80, 24), False),
    "tiny": ("healthy", (40, 12), False),
    "ascii": ("healthy", (80, 24), True),
}


@cache
def all_states() -> dict[str, State]:
    """Those of the tests, and the recorded one."""
    return {**states(), RECORDED: recorded(4_300, after_s=4.2, cursor=3_000)}


def draw(state_name: str, size: tuple[int, int]) -> Block:
    """The whole screen of a state, its line of keys included."""
    width, height = size
    groups = (keys.WATCH, keys.ALWAYS)
    screen = draw_screen(all_states()[state_name].scene(), (width, height - 1))
    return [*screen, fit(keys.footer(groups, width), width)]


@contextmanager
def in_utc() -> Iterator[None]:
    """Local times are UTC."""
    zone = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
        time.tzset()


def picture(name: str) -> str:
    """The SVG of one picture."""
    with in_utc():
        return _picture(name)


def _picture(name: str) -> str:
    state_name, size, ascii_only = PICTURES[name]
    theme = theme_for(1 << 24, ascii_only=ascii_only)
    typed = "itermon replay --sample" if state_name == RECORDED else "itermon train.log"
    return svg(draw(state_name, size), theme, typed)


def draw_all(folder: Path) -> None:
    """Every state in every size."""
    folder.mkdir(parents=True, exist_ok=True)
    theme = theme_for(1 << 24)
    for state_name in all_states():
        for width, height in SIZES:
            path = folder / f"{state_name}-{width}x{height}.png"
            with in_utc():
                drawn = draw(state_name, (width, height))
            path.write_bytes(png(svg(drawn, theme, f"{state_name}, {width}×{height}")))
            path.with_suffix(".txt").write_text("\n".join("".join(part for part, _ in line) for line in drawn))
        print(f"{state_name}: {len(SIZES)} sizes")


def main() -> None:
    """Write all pictures."""
    if "--all" in sys.argv:
        draw_all(Path(sys.argv[sys.argv.index("--all") + 1]))
        return
    for name in PICTURES:
        path, made = HERE / f"{name}.svg", picture(name)
        path.write_text(made)
        print(f"{path.name}: {len(made) / 1000:.0f} kB")
        if "--png" in sys.argv:
            path.with_suffix(".png").write_bytes(png(made))


def png(drawn: str) -> bytes:
    """The picture in pixels, twice the size; needs resvg-py and the DejaVu fonts."""
    import resvg_py  # noqa: PLC0415 - only here, and not needed for the SVGs

    return bytes(resvg_py.svg_to_bytes(svg_string=drawn, zoom=2))


if __name__ == "__main__":
    main()
