"""Where a thread of the trainer was when somebody looked at it."""

from __future__ import annotations

import re

from .event import Count, Event, Index, Rank, Seconds, UnixTime

MOST_FRAMES = 16
"""Frames of a stack that are kept: the innermost ones, and the innermost of the user's own code."""

LONGEST_FRAME = 120
"""Characters of one of them."""


class Stack(Event, frozen=True, tag="stack"):
    """Where the training thread was while an iteration took far longer than usual. Neither values nor source text.

    `frames` stand innermost first, each as "file.py:line function": files below the folder of the script from
    there on, those of libraries from their own folder on, and never a home folder. `user_frame` is the place in
    `frames` of the innermost one that is the user's own code: neither the standard library's, nor an installed
    package's, nor itermon's; `None` where there is none, or nobody knows.
    `iteration` is the one that was under way, `waited_s` how long it had lasted at `at_s`.
    `count` looks in a row found these same frames, and `at_s` is the last of them. The counts of several events of
    one iteration add up: the first look is told at once, those that found the same come with the next event.
    `native`: the interpreter was blocked in native code, and nobody could look before that was over (or it was
    `faulthandler`'s own thread that looked). `thread` names another thread than the one that trains.
    """

    at_s: UnixTime
    iteration: Index | None = None
    waited_s: Seconds | None = None
    frames: tuple[str, ...] = ()
    user_frame: Index | None = None
    count: Count = 1
    native: bool = False
    rank: Rank | None = None
    thread: str = ""

    @property
    def user_place(self) -> str:
        """The innermost frame of the user's own code; empty without one."""
        return (
            self.frames[self.user_frame]
            if self.user_frame is not None and self.user_frame < len(self.frames)
            else ""
        )

    @property
    def innermost(self) -> str:
        """The innermost frame of all; empty without any."""
        return self.frames[0] if self.frames else ""


_PACKAGES = ("/site-packages/", "/dist-packages/")
_STANDARD = re.compile(r".*/lib(?:64)?/python3\.\d+t?/")


def short_file(file: str, folder: str, home: str) -> tuple[str, bool]:
    """What a file of a frame is called, without a folder that says whose machine it is; and is it the user's own?

    `folder`, with its slash, is where the user's script lies, `home` their own folder.
    """
    if file.startswith("<"):
        return file, file.startswith(("<ipython-input", "<stdin"))
    for packages in _PACKAGES:
        if packages in file:
            return file.rpartition(packages)[2], False
    if (standard := _STANDARD.match(file)) is not None:
        return file[standard.end() :], False
    if file.startswith(folder):
        return file[len(folder) :], True
    around_it, _, name = file.rpartition("/")
    around, _, last = around_it.rpartition("/")
    is_home = around in ("", "/home", "/Users") or around_it == home
    return (name if is_home else f"{last}/{name}"), True
