"""Four ranks, of which the last is late."""

from itermon.events.fleet import FleetCourse, FleetReading, Member

MEMBERS = tuple(
    Member(str(rank), f"host-{rank}:9464", f"host-{rank}", f"gpt2.20260101-000000.{rank}") for rank in range(4)
)
READING = FleetReading(
    at_s=1_000.0, run="gpt2", members=MEMBERS, world_size=4, usual_s=0.5, local_s=0.4, late_s={MEMBERS[3].key: 0.1}
)
COURSE = FleetCourse(columns=2, rows={member.instance: [0.4, 0.4] for member in MEMBERS}, median_s=[0.4, 0.4])
