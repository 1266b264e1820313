"""What people paste, over the real logs: is every figure of --html and --markdown one of --json, and does it fit?

    python bench/paste.py [FOLDER]

Prints each figure that --json does not give, then how large the pages and the comments are against their limits.
"""

from __future__ import annotations

import contextlib
import io
import sys
from html import unescape

from corpus import real_logs
from figures import shown, strange_figures

from itermon.cli.exits import NotALogError
from itermon.cli.reading import read_to_the_end
from itermon.cli.sources import OpenOptions, open_sources
from itermon.reports.html.page import MOST_BYTES, page
from itermon.reports.markdown.report_markdown import MOST_CHARACTERS, report_markdown

LEFT_OUT = (".md",)


def main() -> None:
    """Read each, lay it out twice, look."""
    corpus = real_logs(sys.argv[1:])
    if corpus is None:
        return
    pages: list[int] = []
    comments: list[int] = []
    strange = 0
    for path in sorted(p for p in corpus.rglob("*") if p.is_file() and p.suffix not in LEFT_OUT):
        with contextlib.suppress(NotALogError), contextlib.redirect_stderr(io.StringIO()):
            run = read_to_the_end(open_sources([str(path)], OpenOptions([])))
            found = run.findings(spikes=None)
            html, markdown = page(run, found, title=path.name), report_markdown(run, found, title=path.name)
            pages.append(len(html.encode()))
            comments.append(len(markdown))
            seen = [text.replace(path.name, "") for text in (shown(html)[0], unescape(markdown))]
            for number, unit in sorted(strange_figures(seen, found)):
                print(f"{path.relative_to(corpus)}: {number} {unit}".rstrip(), flush=True)
                strange += 1
    print(f"{len(pages)} runs; figures that --json does not give: {strange}")
    for name, sizes, most in (
        ("page, bytes", pages, MOST_BYTES),
        ("comment, characters", comments, MOST_CHARACTERS),
    ):
        ordered = sorted(sizes)
        print(f"{name}: median {ordered[len(ordered) // 2]:,}, largest {ordered[-1]:,}, limit {most:,}")


if __name__ == "__main__":
    main()
