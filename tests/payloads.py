"""Text that would run, be asked for, or mean something, if it ever got out of the place that it is shown in."""

from __future__ import annotations

from random import Random

_PARTS = (
    "<script>document.title='run'</script>",
    "</script><script>window.run=1</script>",
    "</script x><script x>window.run=1</script x>",
    "<!--<script ",
    "<img src=http://127.0.0.1:9/a onerror=window.run=1>",
    '"><svg onload=window.run=1>',
    "' onmouseover='window.run=1",
    "</style><style>*{background:url(http://127.0.0.1:9/b)}",
    "@import url(http://127.0.0.1:9/c);",
    "</title><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/d'>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<!-- ",
    " -->",
    "<![CDATA[",
    "]]>",
    "&lt;b&gt;",
    "&#60;b&#62;",
    "javascript:alert(1)",
    "[a](http://127.0.0.1:9/e)",
    "![a](http://127.0.0.1:9/f)",
    "[a]: http://127.0.0.1:9/g",
    "[^1]",
    "<http://127.0.0.1:9/h>",
    "https://example.org/x",
    "www.example.org",
    "mailto:someone@example.org",
    "someone@example.org",
    "@everyone",
    "#1",
    "GH-1",
    "owner/name#2",
    "deadbeefdeadbeef",
    ":smile:",
    "$x_1$",
    "`",
    "``",
    "```",
    "|",
    "\\|",
    "\\\\|",
    "\\",
    "*",
    "**",
    "__",
    "~~",
    "\n",
    "\n\n",
    "\r\n---\n",
    "\n===\n",
    "# ",
    "> ",
    "- ",
    "+ ",
    "1. ",
    "2)",
    "    ",
    "\t",
    "| --- | --- |",
    "\u2028",
    "\u202e",
    "\u200b",
    "\x00",
    "\x1b[31m",
    "\ud800",
    "{{7*7}}",
    "${7*7}",
    "<details open ontoggle=window.run=1>",
    "iter 5: loss nan",
)


def payloads(count: int, seed: int = 13) -> list[str]:
    """So many, each of a few parts: at the beginning, in the middle, next to each other."""
    random = Random(seed)
    made = []
    for _ in range(count):
        parts = random.choices(_PARTS, k=random.randint(1, 5))
        made.append(random.choice(("", " ", "x")).join(parts))
    return made
