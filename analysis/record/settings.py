"""The settings of a run, from every place that gives some of them."""

from __future__ import annotations

from msgspec.structs import replace

from ...events import Config


class Settings:
    """What is set, field by field: later ones win over earlier ones."""

    def __init__(self) -> None:
        self.config = Config()
        self.origins: dict[str, str] = {}
        """Where each field was read, by its name."""

    def add(self, event: Config) -> None:
        """Take in what `event` sets; its empty fields change nothing."""
        known = {f: v for f in event.__struct_fields__ if (v := getattr(event, f)) not in (None, "", {})}
        if event.extra:
            known["extra"] = self.config.extra | event.extra
        self.config = replace(self.config, **known)
        self.origins |= dict.fromkeys(known.keys() - {"origin"}, event.origin)
