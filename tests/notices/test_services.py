"""Apprise, by a stand-in for it; and the real one where it is installed."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.events import Severity
from itermon.notices.channel import NotDeliveredError
from itermon.notices.message import Message, Phase
from itermon.notices.services import MISSING, Service

MESSAGE = Message(id="a/1", run="gpt", phase=Phase.BEGAN, kind="failed", severity=Severity.ERROR, action="look")


class StandIn:
    def __init__(self, *, knows: bool = True, answer: Any = True) -> None:
        self.knows, self.answer, self.said = knows, answer, {}

    def add(self, address: str) -> bool:
        return self.knows

    def notify(self, **said: str) -> bool:
        self.said = said
        if isinstance(self.answer, Exception):
            raise self.answer
        return bool(self.answer)


def with_apprise(monkeypatch: pytest.MonkeyPatch, stand_in: StandIn) -> Service:
    monkeypatch.setitem(sys.modules, "apprise", SimpleNamespace(Apprise=lambda: stand_in))
    return Service("apprise", "mailto://me:secret@example.org")


def test_a_message_has_a_title_a_body_and_a_type(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    with_apprise(monkeypatch, stand_in).deliver(MESSAGE)
    assert stand_in.said == {"title": "itermon · gpt: failed", "body": "next: look", "notify_type": "failure"}


@pytest.mark.parametrize(
    ("stand_in", "why", "again"),
    [
        (StandIn(knows=False), "does not know this address", False),
        (StandIn(answer=False), "could not deliver", True),
        (StandIn(answer=RuntimeError("mailto://me:secret@example.org")), "Apprise: RuntimeError", True),
    ],
)
def test_what_it_cannot_do_is_said_without_the_address(
    monkeypatch: pytest.MonkeyPatch, stand_in: StandIn, why: str, again: bool
) -> None:
    with pytest.raises(NotDeliveredError, match=why) as error:
        with_apprise(monkeypatch, stand_in).deliver(MESSAGE)
    assert error.value.again is again
    assert "secret" not in str(error.value)


def test_without_it_how_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(NotDeliveredError, match="pip install") as error:
        Service("apprise", "mailto://a").deliver(MESSAGE)
    assert str(error.value) == MISSING
    assert not error.value.again


def test_the_real_one_takes_what_we_give_it() -> None:
    pytest.importorskip("apprise", reason="the extra `notify` is not installed")
    with pytest.raises(NotDeliveredError, match="does not know this address"):
        Service("apprise", "nothing://there").deliver(MESSAGE)
    with pytest.raises(NotDeliveredError, match="could not deliver"):
        Service("apprise", "json://127.0.0.1:9/").deliver(MESSAGE)
