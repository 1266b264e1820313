"""The pictures of the README are what the screen draws: no size, no state changes its looks unseen."""

from pathlib import Path
from xml.etree import ElementTree as ET

import make
import pytest

FOLDER = Path(make.__file__).parent


@pytest.mark.parametrize("name", make.PICTURES)
def test_a_picture_is_what_the_code_draws_now(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text() == make.picture(name), "run `make screenshots`, look, and commit"


@pytest.mark.parametrize("name", make.PICTURES)
def test_a_picture_is_an_svg_without_anything_from_elsewhere(name: str) -> None:
    root = ET.fromstring(make.picture(name))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [e for e in root.iter() if any(a.endswith("href") for a in e.attrib)]


def test_the_ascii_picture_has_nothing_else() -> None:
    _, size, _ = make.PICTURES["ascii"]
    shown = "".join(
        make.theme_for(2, ascii_only=True).glyphs(text) for line in make.draw("healthy", size) for text, _ in line
    )
    assert shown.isascii()
