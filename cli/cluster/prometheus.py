"""`itermon prometheus`: what a Prometheus server and Grafana need to know of itermon's metrics."""

from __future__ import annotations

import os

import click

from ..options import WholeNumber
from ..printing import print_text

_PORT = 9464


@click.group(name="prometheus")
def command() -> None:
    """Print what Prometheus and Grafana need for the metrics of `itermon export`.

    \b
      itermon prometheus scrape-config gpu01 gpu02 > itermon.yml
      itermon prometheus rules > itermon-rules.yml
      itermon prometheus dashboard > itermon.json
    """


@command.command("rules")
def rules() -> None:
    """Print recording and alerting rules, a file for rule_files in prometheus.yml."""
    from ...metrics.rules import rules_yaml

    print_text(rules_yaml().rstrip("\n"))


@command.command("dashboard")
def dashboard() -> None:
    """Print a dashboard of one run, to be imported into Grafana."""
    from ...metrics.dashboard import dashboard_json

    print_text(dashboard_json().rstrip("\n"))


@command.command("scrape-config")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--slurm", is_flag=True, help="the hosts of $SLURM_JOB_NODELIST")
@click.option("--kubernetes", is_flag=True, help="pods with the annotation itermon/scrape")
@click.option(
    "--port", type=WholeNumber(min=1, max=65_535), default=_PORT, metavar="PORT", help=f"{_PORT} if not given"
)
def scrape_config(hosts: tuple[str, ...], port: int, *, slurm: bool, kubernetes: bool) -> None:
    """Print where Prometheus finds the exporters: a part of prometheus.yml.

    HOST is a host's name, or a list as Slurm writes it: gpu[01-16]. Without any it is this machine.
    """
    from ...metrics import scrape_config as configs

    if bool(hosts) + slurm + kubernetes > 1:
        raise click.UsageError("name hosts, or --slurm, or --kubernetes.")
    if kubernetes:
        print_text(configs.kubernetes().rstrip("\n"))
        return
    nodes = os.environ.get("SLURM_JOB_NODELIST", "")
    if slurm and not nodes:
        raise click.UsageError("--slurm: SLURM_JOB_NODELIST is not set here; name the hosts: gpu[01-16]")
    try:
        found = [host for text in ([nodes] if slurm else hosts) for host in configs.hosts_of(text)]
    except configs.HostListError as error:
        raise click.UsageError(str(error)) from None
    print_text(configs.static(found, port).rstrip("\n"))
