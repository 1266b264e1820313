"""What the analysis found, as data: the screen draws it, the report prints it, `--json` encodes it.

One structure, so that all three can never disagree. Unknown is `None`, and `Findings.unknown` says why and
what would tell: its keys are paths such as "audit.mfu". Shares and fractions are 0..1.
"""

from .filling import Filling, MemoryJump
from .finding import Finding
from .findings import SCHEMA_VERSION, Findings
from .hangs import Hang, RankAt
from .incidents import Incident
from .machine import GpuClock, GpuUse, Imbalance, Load, Straggler
from .outlook import Activity, Eta, EtaScore, Now, PrintedEta, Progress, Schedule
from .speed import Audit, Level, Shift, Throughput, TimeWitness
from .spikes import Alongside, Cause, GpuPhase, Place, SlowPlace, Spike
from .summary import Ending, LedgerRow, Losses, RunMessage, Scalar, Verdict

__all__ = [
    "SCHEMA_VERSION",
    "Activity",
    "Alongside",
    "Audit",
    "Cause",
    "Ending",
    "Eta",
    "EtaScore",
    "Filling",
    "Finding",
    "Findings",
    "GpuClock",
    "GpuPhase",
    "GpuUse",
    "Hang",
    "Imbalance",
    "Incident",
    "LedgerRow",
    "Level",
    "Load",
    "Losses",
    "MemoryJump",
    "Now",
    "Place",
    "PrintedEta",
    "Progress",
    "RankAt",
    "RunMessage",
    "Scalar",
    "Schedule",
    "Shift",
    "SlowPlace",
    "Spike",
    "Straggler",
    "Throughput",
    "TimeWitness",
    "Verdict",
]
