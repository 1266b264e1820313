"""The questions, put to a real Prometheus server that holds the metrics of clusters with known faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import stand_in_exporter
from fake_prometheus import Asked, Reply, fake, vector
from stand_in_exporter import Cluster, history

from itermon.analysis.fleet.standing import BEHIND, GONE, LATE, STILL, Standing, standing
from itermon.collectors.prometheus import questions
from itermon.collectors.prometheus.access import access
from itermon.collectors.prometheus.answers import Answer, Series
from itermon.collectors.prometheus.client import Client
from itermon.collectors.prometheus.fleet import FleetReader
from itermon.collectors.prometheus.runs import runs_of
from itermon.events.fleet import BY_UUID, FleetReading
from itermon.metrics.names import METRICS
from itermon.reports.fleet import troubles, verdict

BEGIN_S, END_S, STEP_S = 1_800_000_000.0, 1_800_001_500.0, 15.0
ODD = 'we"ird\n\\d} or up{x="'
real = pytest.mark.skipif(
    not stand_in_exporter.PROMETHEUS, reason="no Prometheus server here: apt install prometheus"
)


def clusters() -> Iterator[Cluster]:
    late = Cluster(16, 4, BEGIN_S - 1_000, "late")
    late.slow[5] = (0.06, BEGIN_S + 600)
    late.stages = 4
    yield late
    dead = Cluster(4, 2, BEGIN_S - 1_000, ODD)
    dead.dead[3] = BEGIN_S + 900
    dead.prefix = "odd"
    yield dead
    stuck = Cluster(8, 2, BEGIN_S - 1_000, "stuck")
    stuck.dead = dict.fromkeys(range(8), BEGIN_S + 900)
    stuck.behind[6] = 1
    yield stuck
    for prefix in ("one", "other"):
        twice = Cluster(2, 1, BEGIN_S - 1_000, "twice")
        twice.prefix = prefix
        yield twice
    gone = Cluster(4, 2, BEGIN_S - 1_000, "gone")
    gone.gone[1] = BEGIN_S + 600
    gone.clock_off_s["host-001"] = 3_600
    yield gone


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    past = history(list(clusters()), BEGIN_S, END_S, STEP_S)
    with stand_in_exporter.prometheus(past) as url:
        client = Client(access(url), timeout_s=60)
        yield client
        client.close()


def read(client: Client, run: str, at_s: float = END_S) -> tuple[FleetReading, Standing, FleetReader]:
    reader = FleetReader(client, run, window_s=1_200, columns=80)
    reading = reader.read(at_s)
    reading = reader.read(at_s)  # the second knows how often the server scrapes
    return reading, standing(reading, reader.course), reader


def test_every_metric_that_is_asked_for_is_one_that_is_exported() -> None:
    text = Path(questions.__file__).read_text(encoding="utf-8")
    asked = {
        f"itermon_{name}"
        for name in re.findall(r'_metric\("(\w+)"|_metric\(\'(\w+)\'', text)
        for name in name
        if name
    }
    asked |= set(re.findall(r"itermon_[a-z_]+[a-z]", text))
    exported = {metric.name for metric in METRICS}
    assert len(asked) > 12
    assert {name for name in asked if name not in exported and name != "itermon_gpu"} == set()


@real
def test_the_runs_are_listed_whatever_they_are_called(client: Client) -> None:
    found = runs_of(client, END_S)
    assert found.at_s == END_S
    assert {run.name: (run.ranks, run.hosts, run.twice) for run in found.runs} == {
        "late": (16, 4, 0), ODD: (4, 2, 0), "stuck": (8, 2, 0), "twice": (4, 2, 2), "gone": (3, 2, 0),
    }  # fmt: skip
    assert found.runs[-1].name == "stuck"
    assert found.runs[-1].moves == 0


@real
def test_the_slow_rank_is_first_with_its_gpu_and_where_it_is(client: Client) -> None:
    reading, stands, reader = read(client, "late")
    first = stands.rows[0]
    assert (first.member.rank, first.member.host, first.state) == ("5", "host-001", LATE)
    assert first.late_s == pytest.approx(0.06, abs=0.009)
    assert first.gpu is not None
    assert (first.gpu.power_w, first.gpu.clock_hz, first.gpu.temperature_c, first.gpu.xid) == (650, 1.7e9, 61, 0)
    assert reading.scrape_s == pytest.approx(15, rel=0.06)
    assert (reading.usual_s, reading.world_size, len(reading.members)) == (0.5, 16, 16)
    assert (stands.pattern.kind, stands.pattern.instance) == ("fixed", "host-001:9464")
    assert troubles(stands, reading) == []
    assert stands.of(LATE) == [first]
    # The host's row rises where the rank became slow, and nobody else's does.
    course, since = reader.course, int((BEGIN_S + 600 - reader.course.begin_s) / reader.course.step_s)
    row = [value or 0 for value in course.rows["host-001:9464"]]
    assert max(row[: since - 1]) < 0.43 < 0.46 < min(row[since + 1 :])
    assert max(value or 0 for value in course.rows["host-002:9464"]) < 0.43
    assert set(course.lost) == {"data"}


@real
def test_a_stage_of_the_pipeline_is_as_late_as_its_latest_rank(client: Client) -> None:
    reading, _, reader = read(client, "late")
    assert [member.stage for member in reading.members[::4]] == ["0", "1", "2", "3"]
    newest = {stage: row[-1] for stage, row in reader.course.stages.items()}
    assert newest == pytest.approx({"0": 0.41, "1": 0.47, "2": 0.41, "3": 0.41}, abs=0.01)
    assert read(client, "stuck")[2].course.stages == {}, "where nobody says it there is none"


@real
def test_a_gpu_is_found_by_its_host_and_index(client: Client) -> None:
    said = client.query(questions.of_dcgm_at(["host-001"], ["5"]), END_S).series
    temperatures = [one for one in said if one.labels["__name__"] == "DCGM_FI_DEV_GPU_TEMP"]
    assert {one.labels["Hostname"] for one in temperatures} == {"host-001"}
    assert {one.labels["gpu"] for one in temperatures} == {"5"}


@real
def test_the_course_goes_on_with_each_reading_and_is_the_same_as_if_read_at_once(client: Client) -> None:
    reader = FleetReader(client, "late", window_s=600, columns=40)
    for at_s in range(int(END_S) - 300, int(END_S) + 1, 15):
        reader.read(float(at_s))
    at_once = FleetReader(client, "late", window_s=600, columns=40)
    at_once.read(END_S)
    assert reader.course.step_s == at_once.course.step_s == 15
    for name, row in at_once.course.rows.items():
        assert reader.course.rows[name][-20:] == row[-20:]
    assert reader.course.median_s[-20:] == at_once.course.median_s[-20:]


@real
def test_a_rank_that_stands_still_is_named_though_the_server_goes_on_showing_it(client: Client) -> None:
    reading, stands, _ = read(client, ODD)
    assert [(row.member.rank, row.behind) for row in stands.of(STILL)] == [("3", 1_200)]
    assert stands.rows[0].gpu is not None
    assert stands.rows[0].gpu.xid == 79
    assert not verdict(stands, reading).well


@real
def test_where_nothing_moves_the_rank_that_is_one_behind_is_named_and_no_other(client: Client) -> None:
    reading, stands, _ = read(client, "stuck")
    assert stands.all_still
    assert [(row.member.rank, row.behind) for row in stands.of(BEHIND)] == [("6", 1)]
    assert verdict(stands, reading).what == "nothing moves, and rank 6 on host-001: 1 behind."


@real
def test_ranks_of_two_runs_with_one_name_are_both_shown_and_said(client: Client) -> None:
    reading, stands, _ = read(client, "twice")
    assert stands.ranks == 4
    assert [line.partition(" Two")[0] for line in troubles(stands, reading)] == [
        "2 ranks twice: rank 0 on one-000 and on other-000."
    ]


@real
def test_a_rank_that_has_gone_and_a_clock_that_is_an_hour_off_are_said(client: Client) -> None:
    reading, stands, _ = read(client, "gone")
    assert [row.member.rank for row in stands.of(GONE)] == ["1"]
    assert troubles(stands, reading) == [
        "1 rank of 4 not exported: itermon export has to run on each host",
        "host-001:9464: its clock and the server's differ by 60 m",
    ]


@real
def test_of_a_run_that_nobody_knows_there_is_nothing(client: Client) -> None:
    reading, stands, _ = read(client, "nobody")
    assert (reading.members, stands.rows, reading.notes) == ((), (), ())


def test_warnings_of_a_part_of_the_stores_are_kept() -> None:
    def answer(asked: Asked) -> Reply:
        part = {"part": "ranks"} if "ranks" in asked.form["query"] else {"rank": "0", "instance": "a"}
        if asked.path.endswith("range"):
            return vector(warnings=["a store is not there"])
        return vector((part, 1), warnings=["a store is not there"])

    with fake(answer) as server:
        reader = FleetReader(Client(access(server.url)), "late")
        assert reader.read().notes == ("a store is not there",)


def test_what_dcgm_does_not_know_is_no_measurement() -> None:
    """Its exporter hands on the numbers that mean "not supported": 9223372036854775794, or 2**47 and some."""
    of_rank = {"run": "gpt2", "rank": "0", "instance": "a", "UUID": "GPU-0"}

    def answer(asked: Asked) -> Reply:
        if "DCGM" not in asked.form["query"]:
            return vector(({**of_rank, "__name__": "itermon_gpu_clock_hertz"}, 1.7e9))
        names = ("SM_CLOCK", "GPU_TEMP", "XID_ERRORS", "POWER_USAGE")
        values = (9223372036854775794, 140737488355330, 9223372036854775792, 650)
        return vector(
            *(
                ({"__name__": f"DCGM_FI_DEV_{name}", "UUID": "GPU-0"}, value)
                for name, value in zip(names, values, strict=True)
            )
        )

    with fake(answer) as server:
        reader = FleetReader(Client(access(server.url)), "gpt2", window_s=60)
        gpu = reader._gpus([("0", "a")], None)["0", "a"]
    assert (gpu.power_w, gpu.clock_hz, gpu.temperature_c, gpu.xid) == (650, 1.7e9, None, None)
    assert gpu.joined == BY_UUID


class Scripted:
    """A server without a network: a run of two ranks, one point each, whatever is asked of their history."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.questions: list[str] = []
        self.scrapes: float = 20.0
        self.ranks = 2
        self.now_s = 10_000.0
        self.reader = FleetReader(self, "gpt2", window_s=600, columns=10)  # type: ignore[arg-type]

    def query(self, question: str, at_s: float | None = None) -> Answer:
        ask = self.reader._ask
        self.questions.append(question)
        if question == ask.summary(self.reader._still_s()):
            numbers = {"scrapes": self.scrapes, "ranks": self.ranks, "late_ranks": 1, "usual_s": 0.5, "loss": 2.5}
            return Answer(
                [Series({questions.PART: part}, [(self.now_s, value)]) for part, value in numbers.items()]
            )
        if question == ask.members():
            self.asked.append("members")
            labels = (
                {"rank": rank, "instance": "a", "world_size": size} for rank, size in (("10", "8"), ("9", "8"))
            )
            return Answer([Series(one, [(self.now_s, 1.0)]) for one in labels])
        if question == self.reader._column():
            self.asked.append("column")
            return Answer([Series({"instance": "a"}, [(self.now_s, value)]) for value in (0.25, 0.5)])
        if question == ask.lost(3_600.0):
            return Answer(
                [Series({"cause": cause}, [(self.now_s, s)]) for cause, s in (("data", 9.0), ("io", 0.0))]
            )
        return Answer([])

    def query_range(self, question: str, begin_s: float, end_s: float, step_s: float) -> tuple[Answer, float]:
        self.asked.append("history")
        self.range = begin_s, end_s, step_s
        points = [(begin_s - step_s, 9.0), (begin_s, 1.0), (end_s, 2.0), (end_s + step_s, 9.0)]
        return Answer([Series({questions.PART: "median"}, points)]), step_s

    def read(self, now_s: float) -> FleetReading:
        self.now_s, self.asked = now_s, []
        return self.reader.read(now_s)


def test_a_reading_has_the_figures_of_its_run_and_the_lost_time_that_there_is() -> None:
    server = Scripted()
    reading = server.read(10_000.0)
    assert (reading.at_s, reading.late_ranks, reading.usual_s, reading.loss) == (10_000.0, 1, 0.5, 2.5)
    assert [member.rank for member in reading.members] == ["9", "10"], "by number"
    assert (reading.world_size, reading.scrape_s, reading.lost_s) == (8, 15.0, {"data": 9.0})
    assert reading.still_s == 120.0, "two scrapes of a minute: nothing is known yet"
    assert server.read(10_000.0).still_s == 31.5, "two scrapes of 15 s, three iterations of half a second"
    server.scrapes = 900.0
    assert server.read(10_000.0).scrape_s == 1.0


def test_a_rank_is_behind_by_more_than_scrapes_at_different_moments_make() -> None:
    server = Scripted()
    for _ in range(2):  # the second knows how often the server scrapes
        server.read(10_000.0)
    assert server.reader._ask.troubles(31.5, 15.0, 2.0 + 15.0 / 0.5) in server.questions


def test_the_members_are_asked_for_anew_where_there_are_others_and_every_five_minutes() -> None:
    server = Scripted()
    asked = []
    for now_s, ranks in ((10_000.0, 2), (10_299.0, 2), (10_300.0, 2), (10_301.0, 2), (10_302.0, 3), (10_303.0, 2)):
        server.ranks = ranks
        server.read(now_s)
        asked.append("members" in server.asked)
    assert asked == [True, False, True, False, True, False]


def test_the_course_begins_with_its_window_and_goes_on_by_columns() -> None:
    server = Scripted()
    server.read(10_030.0)
    course = server.reader.course
    assert server.range == (9_480.0, 10_020.0, 60.0)
    assert (course.begin_s, course.step_s, course.columns) == (9_480.0, 60.0, 10)
    assert course.median_s == [1.0, *[None] * 8, 2.0], "what lies outside is left out"
    for now_s, newest in ((10_079.0, 10), (10_080.0, 10), (10_110.0, 10)):
        server.read(now_s)
        assert server.asked.count("history") == 0
        assert course.columns == newest
    assert course.begin_s == 9_540.0, "the oldest column is gone"
    assert course.rows["a"] == [None] * 8 + [0.5, 0.5], "the larger one, where a column is read twice"


@pytest.mark.parametrize(
    ("now_s", "anew"), [(10_139.0, False), (10_140.0, True), (9_480.0, False), (9_479.0, True)]
)
def test_after_a_pause_or_a_step_back_the_whole_window_is_read_anew(now_s: float, anew: bool) -> None:
    server = Scripted()
    server.read(10_030.0)
    server.read(now_s)
    assert ("history" in server.asked) is anew


def test_of_a_run_of_which_no_time_is_known_nothing_is() -> None:
    server = Scripted()
    server.query = lambda question, at_s=None: Answer([], ("a store is not there",))  # type: ignore[method-assign]
    assert server.reader.read() == FleetReading(at_s=0.0, run="gpt2", notes=("a store is not there",))


@pytest.mark.parametrize(("columns", "asked"), [(160, 160), (2_000, 2_000), (5_000, 2_000)])
def test_a_course_has_two_thousand_columns_at_most(columns: int, asked: int) -> None:
    server = Scripted()
    reader = server.reader = FleetReader(server, "gpt2", window_s=9_000, columns=columns)  # type: ignore[arg-type]
    reader.read()
    assert reader.course.columns == asked
