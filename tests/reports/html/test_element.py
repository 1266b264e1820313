"""Elements: what is text stays text, whatever is in it."""

from html import unescape
from html.parser import HTMLParser

from payloads import payloads

from itermon.reports.html.element import MOST_CHARACTERS, Html, element, joined, table
from itermon.reports.lines import one_line


class Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.titles: list[str | None] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(name == "title" for name, _ in attrs)
        self.tags.append(tag)
        self.titles += [value for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_ten_thousand_hostile_texts_are_text_and_attributes() -> None:
    texts = [text for text in payloads(10_000) if one_line(text, MOST_CHARACTERS)]
    reader = Read()
    reader.feed(joined(element("p", text, title=text) for text in texts))
    reader.close()
    assert reader.tags == ["p"] * len(texts)
    assert reader.titles == reader.text == [one_line(text, MOST_CHARACTERS) for text in texts]


def test_markup_of_ours_is_not_escaped_and_attributes_without_a_value_are_left_out() -> None:
    inner = element("b", "1 < 2")
    assert element("p", inner, " & more", class_="x", data_n=None) == '<p class="x"><b>1 &lt; 2</b>&amp; more</p>'
    assert element("meta", http_equiv="a") == '<meta http-equiv="a">'
    assert isinstance(inner, Html)


def test_text_is_on_one_line_without_controls_and_cut() -> None:
    made = element("p", "a\x00\u202e\nb " + "c" * 5_000)
    assert made.startswith("<p>a\ufffd\ufffd b cc")
    assert len(unescape(made)) == MOST_CHARACTERS + len("<p></p>")


def test_a_table_has_heads_only_where_they_are_named() -> None:
    assert "thead" not in table((), [("a", "b")], "x")
    assert '<th scope="col">n</th>' in table(("n",), [("<",)], "x")
