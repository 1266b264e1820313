"""Which devices to show: asked for with `--gpu`, used by the trainer, visible to it; else all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .device import Device


class Chosen(NamedTuple):
    """The devices, and what a person should know of the choice ("" if it is plain)."""

    devices: list[Device]
    note: str = ""


def asked_for(devices: Sequence[Device], wish: str) -> Chosen:
    """`--gpu`: numbers as nvidia-smi counts, UUIDs or beginnings of them, separated by commas; or "all"."""
    if wish.strip() == "all":
        return Chosen(list(devices))
    chosen: list[Device] = []
    missing: list[str] = []
    for part in filter(None, (part.strip() for part in wish.split(","))):
        found = [d for d in devices if _is(d, part)]
        chosen += [d for d in found if d not in chosen]
        missing += [] if found else [part]
    here = ", ".join(sorted({str(d.number) for d in devices})) or "none"
    note = (
        f"--gpu {','.join(missing)}: no such GPU here; there is {here} (itermon gpus lists them)"
        if missing
        else ""
    )
    return Chosen(chosen, note)


def visible(devices: Sequence[Device], setting: str | None, order: str | None = None) -> Chosen:
    """What `CUDA_VISIBLE_DEVICES=setting` leaves visible; `None` (not set) leaves all.

    CUDA's rules: indices, UUIDs or unique beginnings of them, `MIG-` names; the first entry that is no device
    ends the list. `order` is CUDA_DEVICE_ORDER: unless it is PCI_BUS_ID, indices count the fastest GPU first.
    """
    if setting is None:
        return Chosen(list(devices))
    chosen: list[Device] = []
    numbered = False
    for part in (part.strip() for part in setting.split(",")):
        found = [d for d in devices if _is(d, part)]
        # A divided GPU is listed as its instances; CUDA takes the first of them.
        if not found or found[0] in chosen or (not part.isdigit() and len(found) > 1):
            break
        chosen.append(found[0])
        numbered = numbered or part.isdigit()
    mixed = numbered and order != "PCI_BUS_ID" and len({d.name for d in devices}) > 1
    note = (
        f"CUDA_VISIBLE_DEVICES={setting} counts the fastest GPU first, nvidia-smi counts by PCI bus, and the GPUs "
        "here differ: --gpu says which are meant"
        if mixed
        else ""
    )
    return Chosen(chosen, note)


def _is(device: Device, name: str) -> bool:
    if name.isdigit():
        return device.number == int(name)
    if name.startswith("MIG-GPU-"):  # of drivers before 470: MIG-GPU-<uuid>/<GPU instance>/<compute instance>
        uuid, _, rest = name[4:].partition("/")
        return device.parent_uuid == uuid and str(device.instance_id) == rest.partition("/")[0]
    return len(name) >= 5 and device.uuid.lower().startswith(name.lower())
