"""`itermon gpus`: what NVML gives on this machine, field by field, and what not."""

from __future__ import annotations

import click

from ..printing import print_json, print_text


@click.command(name="gpus")
@click.option("--gpu", "gpus", metavar="LIST", help="only these: numbers as in nvidia-smi, or UUIDs")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def command(gpus: str | None, *, as_json: bool) -> None:
    """Print what the driver reports about every GPU, field by field, and why a field is not there.

    For bug reports, and to see what itermon can know on this machine. It asks twice, a second apart.
    """
    from ...collectors.nvml.inspection import inspect

    found = inspect(gpus)
    if as_json:
        import msgspec

        # Every field, absent ones as null: events leave them out.
        whole = {**msgspec.structs.asdict(found), "gpus": [msgspec.structs.asdict(gpu) for gpu in found.gpus]}
        print_json(whole)
        return
    if found.trouble:
        print_text(found.trouble)
        return
    from ...reports.gpus_text import gpus_text

    facts = {"driver": found.driver, "NVML": found.nvml, "nvidia-ml-py": found.pynvml, **found.environment}
    print_text(gpus_text(found.gpus, facts, found.took_s, found.messages).rstrip("\n"))
