"""`itermon fleet`: the runs of a cluster, and one run with all its ranks, as a Prometheus server has them."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import ExistingFile, Number, screen_options
from ..printing import print_json, print_note, print_table, print_text
from ..screen import can_draw
from .watching import Asked, watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...collectors.prometheus.client import Client
    from ...collectors.prometheus.runs import Runs
    from ..options import ScreenOptions

_NONE = """\
the server knows no run of itermon. On each host of a training: itermon export --all; Prometheus scrapes that."""


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which server it is and how one is let in. The command gets `asked`."""

    @wraps(command)
    def with_server(url: str, named: str | None, window_s: float, every_s: float | None, **arguments: Any) -> Any:
        identity = {name: arguments.pop(name) for name in _IDENTITY}
        return command(asked=Asked(_client(url, identity), named, 60.0 * window_s, every_s), **arguments)

    decorated: Callable[..., Any] = with_server
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_IDENTITY = ("token_file", "user", "password_file", "tenant", "certificate", "key", "authority")
"""Those of `Access` with the same names."""

_OPTIONS = (
    click.option(
        "--prometheus",
        "url",
        required=True,
        envvar="ITERMON_PROMETHEUS",
        metavar="URL",
        help="the server: Prometheus, Thanos, Mimir (its path ends in /prometheus) or VictoriaMetrics;"
        " ITERMON_PROMETHEUS if not given",
    ),
    click.option("--run", "named", metavar="NAME", help="this run; if not given, the runs are listed"),
    click.option(
        "--window", "window_s", type=Number(min=1, max=10_080), default=60, metavar="MINUTES",
        help="how far back the heat map goes; 60 if not given",
    ),
    click.option(
        "--every", "every_s", type=Number(min=1, max=3_600), metavar="SECONDS",
        help="how often the server is asked; as often as it scrapes, if not given",
    ),
    click.option("--token-file", type=ExistingFile(), help="a bearer token, read anew for each question"),
    click.option("--user", default="", metavar="NAME", help="the name for basic authentication"),
    click.option("--password-file", type=ExistingFile(), help="its password"),
    click.option("--tenant", default="", metavar="ID", help="the tenant of Mimir or Thanos (X-Scope-OrgID)"),
    click.option("--cert", "certificate", type=ExistingFile(), help="a certificate to be let in with (PEM)"),
    click.option("--key", type=ExistingFile(), help="its key, if that is a file of its own (PEM)"),
    click.option("--ca", "authority", type=ExistingFile(), help="who signed the server's certificate (PEM)"),
)  # fmt: skip


@click.command(name="fleet")
@server_options
@click.option("--json", "as_json", is_flag=True, help="print JSON")
@screen_options
def command(asked: Asked, *, as_json: bool, screen: ScreenOptions) -> None:
    """Show the runs of a cluster, or one run with all its ranks: who is late, who stands still, who has gone.

    On each host of the training runs `itermon export`, which a Prometheus server scrapes; this command asks that
    server. Ranks that the others wait for stand on top. Nothing of the training is touched.
    """
    from ...collectors.prometheus.client import AskingError

    try:
        if not as_json and can_draw():
            watch(asked, screen)
        elif asked.run is not None:
            _print_run(asked, asked.run, as_json=as_json)
        else:
            _print_runs(asked, as_json=as_json)
    except AskingError as error:
        from ..exits import NoInputError

        raise NoInputError(str(error)) from None
    finally:
        asked.client.close()


def _client(url: str, identity: dict[str, Path | str | None]) -> Client:
    """The server. Raises `click.UsageError`, where what was given does not fit together."""
    import msgspec

    from ...collectors.prometheus.access import AccessError, access
    from ...collectors.prometheus.client import Client

    try:
        server = access(url)
    except AccessError as error:
        raise click.BadParameter(str(error), param_hint="--prometheus") from None
    if identity["token_file"] and identity["user"]:
        raise click.UsageError("--token-file and --user: a server takes one of them.")
    if bool(identity["user"]) != bool(identity["password_file"]):
        raise click.UsageError("--user and --password-file belong together.")
    if (identity["certificate"] or identity["key"] or identity["authority"]) and not server.secure:
        raise click.UsageError("--cert, --key and --ca belong to an https:// address.")
    if (identity["token_file"] or identity["user"]) and not server.secure and server.host not in _HERE:
        print_note(f"{server.shown}: what lets you in goes over the network as plain text; https:// hides it")
    return Client(msgspec.structs.replace(server, **identity))


_HERE = ("localhost", "127.0.0.1", "::1")


def _print_run(asked: Asked, run: str, *, as_json: bool) -> None:
    """One run, as it is now. Raises `AskingError`."""
    from ...analysis.fleet.standing import standing
    from ...collectors.prometheus.fleet import FleetReader
    from ...reports.fleet import fleet_json, fleet_text
    from ..exits import NoInputError

    reader = FleetReader(asked.client, run, window_s=asked.window_s)
    reading = reader.read()
    if not reading.members and not reading.gone:
        raise NoInputError(
            f"{asked.client.access.shown}: no run {run!r}. `itermon fleet` without --run lists them."
        )
    stands = standing(reading, reader.course)
    if as_json:
        print_json(fleet_json(stands, reading))
    else:
        print_text(fleet_text(stands, reading))


def _print_runs(asked: Asked, *, as_json: bool) -> None:
    """The runs. Raises `AskingError`."""
    from ...collectors.prometheus.runs import runs_of

    found = runs_of(asked.client)
    if as_json:
        print_json({"schema_version": 1, "at_s": found.at_s, "runs": found.runs, "notes": found.notes})
        return
    for note in found.notes:
        print_note(f"the server warns: {note}")
    if not found.runs:
        print_note(_NONE)
    elif len(found.runs) == 1:
        _print_run(asked, found.runs[0].name, as_json=False)
    else:
        _print_table(found)
        print_note("one of them: itermon fleet --run NAME")


def _print_table(found: Runs) -> None:
    from ...reports.fleet import run_words
    from ...words import count, duration

    rows = []
    for run in found.runs:
        state, seen = run_words(run, found.at_s)
        twice = f"{count(run.twice)} ranks twice" if run.twice else ""
        ranks = f"{count(run.ranks)} of {count(run.world_size)}" if run.world_size else count(run.ranks)
        rows.append(
            (run.name, state, seen, count(run.iteration), duration(run.usual_s), ranks, count(run.hosts), twice)
        )
    print_table(("run", "state", "last update", "iteration", "time/iter", "ranks", "hosts", ""), rows)
