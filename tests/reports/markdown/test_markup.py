"""Text from logs in Markdown: shown letter for letter, and nothing else. A parser like GitHub's reads it back."""

import re

import pytest
from markdown_it import MarkdownIt
from payloads import payloads

from itermon.reports.lines import one_line
from itermon.reports.markdown.markup import code, folded, plain, points, table

GITHUB = MarkdownIt("gfm-like", {"html": True})
LINKED = re.compile(r"(?i)[@#$]|://|www\.|:[\w+-]+:|\bgh-\d|[0-9a-f]{7}|mailto:")
"""What GitHub would make a mention, a link, a smile or a formula of, outside of code."""


def inlines(text: str) -> list[tuple[str, str]]:
    """(text, code) of each paragraph or cell of a document. Anything else than text and code in it is an error."""
    found = []
    for token in GITHUB.parse(text):
        if token.type == "inline":
            children = token.children or []
            kinds = {child.type for child in children}
            assert kinds <= {"text", "code_inline"}, (kinds, token.content)
            seen = "".join(child.content for child in children if child.type == "text")
            assert not LINKED.search(seen), token.content
            found.append(("".join(child.content for child in children), token.content))
    return found


def same(text: str) -> str:
    return one_line(text, 500).replace("|", "¦")


def test_hostile_texts_stay_in_their_cells_and_are_shown_as_they_are() -> None:
    texts = payloads(3_000)
    for start in range(0, len(texts), 100):
        part = texts[start : start + 100]
        made = table(("a", "b", "c"), [("1", plain(text), code(text)) for text in part], "rll")
        cells = [shown for shown, _ in inlines(made)][3:]
        assert len(cells) == 3 * len(part)
        for number, text in enumerate(part):
            row = cells[3 * number : 3 * number + 3]
            assert [cell.replace("|", "¦") for cell in row] == ["1", same(text), same(text)], text


def test_a_list_has_an_entry_for_each_and_no_other_block() -> None:
    texts = [text for text in payloads(1_000, seed=5) if one_line(text, 500)]
    document = points(texts)
    blocks = [token.type for token in GITHUB.parse(document) if token.nesting == 1]
    assert set(blocks) == {"bullet_list_open", "list_item_open", "paragraph_open"}
    assert blocks.count("bullet_list_open") == 1
    assert [shown for shown, _ in inlines(document)] == [one_line(text, 500) for text in texts]


@pytest.mark.parametrize(
    "text",
    ["- a", "+ a", "1. a", "12) a", "=== ", "---", "# a", "> a", "#", "-", "1.", "- - -", "+", "==", "-- a"],
)
def test_no_text_begins_a_block(text: str) -> None:
    assert [token.type for token in GITHUB.parse(plain(text))] == ["paragraph_open", "inline", "paragraph_close"]


def test_our_own_sentences_need_no_code() -> None:
    said = "evaluation + checkpoint: 1.0 % of the wall time, 4 m 14 s in 4; at most 1.93 × (or ~21.0 s < 22 s)"
    assert "`" not in plain(said)
    assert plain("1.93 × the floor of 10.9 s") == "1.93 × the floor of 10.9 s"
    assert plain("$181 to go") == "`$181` to go"
    assert plain("-0.0137") == "-0.0137"
    assert plain("+5.73 s checkpoint") == "+5.73 s checkpoint"


def test_a_bar_outside_of_code_is_shown_whole() -> None:
    assert plain("a|b") == "a&#124;b"
    assert table(("x",), [(code("a|b"),)], "l").splitlines()[-1] == "| `a¦b` |"


def test_long_text_is_cut_with_a_mark() -> None:
    assert plain("a" * 600) == "a" * 499 + "…" or len(plain("ab " * 600)) <= 500
    assert code("x" * 90, 80) == f"`{'x' * 79}…`"
    assert code("") == ""


def test_what_is_folded_is_still_markdown() -> None:
    kinds = [token.type for token in GITHUB.parse(folded("More", table(("a",), [("b",)], "l")))]
    assert "table_open" in kinds
