"""`itermon notify`: the channels that a run tells somebody by, and one test message."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from ..exits import NO_INPUT
from ..printing import print_text
from .channels import on_option

if TYPE_CHECKING:
    from ...notices.message import Message


@click.command(name="notify")
@click.option("--test", is_flag=True, help="send one message by each channel, and say what became of it")
@on_option
def command(on: tuple[tuple[str, str], ...], *, test: bool) -> None:
    """Show by which channels itermon can tell you of a run, and try them.

    Channels stand in a file that nobody else can read, or in $ITERMON_NOTIFY: an address is a secret, and
    everybody on the machine can see arguments. `itermon watch --notify`, `itermon run --notify` and
    `itermon guard` use them.
    """
    from ...notices.channel import NotDeliveredError
    from .channels import every_channel, how, settings

    found = settings()
    channels = every_channel(found, on)
    if not channels:
        print_text(f"no channel is set up, and there is no terminal here.\n{how()}")
        raise SystemExit(NO_INPUT)
    if not test:
        print_text("\n".join(f"{channel.name}: set up" for channel in channels))
        print_text("to try them: itermon notify --test" if found.channels or on else how())
        return
    message, failed = _message(), False
    for channel in channels:
        try:
            channel.deliver(message)
            print_text(f"{channel.name}: sent")
        except NotDeliveredError as error:
            failed = True
            print_text(f"{channel.name}: not sent: {error}")
    raise SystemExit(int(failed))


def _message() -> Message:
    from ...notices.message import Message, Phase

    now_s = time.time()
    return Message(
        id=f"test-{now_s:.0f}",
        run="test",
        phase=Phase.TEST,
        kind="test",
        state="this is a test message",
        action="nothing: it has arrived",
        host=os.uname().nodename,
        at_s=now_s,
    )
