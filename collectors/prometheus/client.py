"""Questions to a Prometheus server, or to what answers as one (Thanos, Mimir, VictoriaMetrics)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from .access import AccessError
from .answers import MOST_POINTS, Answer, NoAnswerError, RefusedError, decoded
from .wire import Wire, WireError

if TYPE_CHECKING:
    from .access import Access
    from .wire import Reply

TIMEOUT_S = 30.0
"""For each question: a busy server took 20 s for an hour of 1,024 ranks, the first time."""

_LONGEST_GET = 1_500
"""Characters of a question in a URL: proxies cut longer ones at 2 to 8 kB; those are posted."""

_TRIES = 4  # each with twice the step


class AskingError(OSError):
    """There is no answer, and the words say which server and why, in one line."""


class Client:
    """Asks one server, one question after the other.

    Args:
        access: where it is, and how one is let in.
        timeout_s: for each question.
    """

    def __init__(self, access: Access, *, timeout_s: float = TIMEOUT_S) -> None:
        self.access = access
        self._timeout_s = timeout_s
        self._wire = Wire(access, timeout_s)

    @property
    def received_bytes(self) -> int:
        """What came over the wire so far."""
        return self._wire.received_bytes

    def query(self, question: str, at_s: float | None = None) -> Answer:
        """The newest point of each series that answers, at a time or now. Raises `AskingError`."""
        time = {} if at_s is None else {"time": f"{at_s:.3f}"}
        return self._ask("query", {"query": question, **time}, question)

    def query_range(self, question: str, begin_s: float, end_s: float, step_s: float) -> tuple[Answer, float]:
        """Each series over time, and the step that it has: a wider one where the server would refuse.

        Raises `AskingError`.
        """
        step_s = max(step_s, step_for(end_s - begin_s, MOST_POINTS - 1))
        for last in [False] * (_TRIES - 1) + [True]:
            asked = {
                "query": question,
                "start": f"{begin_s:.3f}",
                "end": f"{end_s:.3f}",
                "step": f"{step_s:.3f}",
            }
            try:
                return self._ask("query_range", asked, question, can_be_less=not last), step_s
            except _TooMuchError:
                step_s *= 2
        raise AssertionError  # the last try raises AskingError

    def close(self) -> None:
        """Let the connection go."""
        self._wire.close()

    def _ask(self, what: str, asked: dict[str, str], question: str, *, can_be_less: bool = False) -> Answer:
        form = urlencode({**asked, "timeout": f"{self._timeout_s:g}s"})
        path = f"{self.access.base}/api/v1/{what}"
        try:
            headers = self.access.headers()
            if len(question) <= _LONGEST_GET:
                reply = self._wire.request("GET", f"{path}?{form}", None, headers)
            else:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                reply = self._wire.request("POST", path, form.encode(), headers)
        except WireError as error:
            raise self._error(str(error)) from None
        except AccessError as error:
            raise self._error(str(error)) from None
        except OSError as error:
            raise self._error(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from None
        return self._answer(reply, can_be_less=can_be_less)

    def _answer(self, reply: Reply, *, can_be_less: bool) -> Answer:
        if words := _words_of(reply):
            raise self._error(words)
        if 300 <= reply.status < 400:
            raise self._error(f"is elsewhere: {reply.location or 'it does not say where'}; give that address")
        try:
            return decoded(reply.body)
        except RefusedError as refused:
            if can_be_less and _is_too_much(str(refused)):
                raise _TooMuchError from None
            raise self._error(f"refuses ({refused.kind or reply.status}): {refused}") from None
        except NoAnswerError as error:
            status = "" if reply.status == 200 else f" (status {reply.status})"
            raise self._error(f"{error}{status}") from None

    def _error(self, words: str) -> AskingError:
        return AskingError(f"{self.access.shown}: {words}")


class _TooMuchError(Exception):
    """The server says that this is too much to ask for."""


_PATHS = "behind Mimir its path ends in /prometheus, in a cluster of VictoriaMetrics in /select/0/prometheus"
_OF_STATUS = {
    401: "asks who you are: --token-file, or --user with --password-file",
    403: "does not let you read: another token, user or tenant may (--tenant)",
    404: f"no Prometheus there (status 404); {_PATHS}",
    429: "has too many questions from us (status 429): it is asked again later",
    502: "its proxy does not reach it (status 502)",
    504: "its proxy had no answer from it in time (status 504)",
}


def _words_of(reply: Reply) -> str | None:
    """What a status means; Mimir and VictoriaMetrics say two things in texts of their own."""
    if reply.status == 401 and b"no org id" in reply.body[:100]:
        return "asks for a tenant: --tenant"
    if reply.status == 400 and b"unsupported path requested" in reply.body[:1_000]:
        return f"no Prometheus at that path; {_PATHS}"
    return _OF_STATUS.get(reply.status)


def _is_too_much(words: str) -> bool:
    known = ("too many samples", "maximum resolution", "timed out", "too many points")
    return any(said in words.lower() for said in known)


def step_for(window_s: float, columns: int) -> float:
    """Whole seconds between points, so that the window takes at most so many."""
    return float(max(1, ceil(window_s / max(1, min(columns, MOST_POINTS - 1)))))
