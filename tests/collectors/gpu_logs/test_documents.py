"""`gpustat --json`, again and again."""

import json

import pytest

from itermon.collectors.gpu_logs.documents import MOST_DOCUMENT, DocumentReader

GPU = {
    "index": 1,
    "uuid": "GPU-1",
    "name": "A\x1b[31m100",
    "utilization.gpu": 93,
    "power.draw": 268,
    "memory.used": 1024,
    "processes": [],
}


def document(**gpu: object) -> str:
    return json.dumps({"hostname": "h", "query_time": "2026-01-01T12:00:00.5", "gpus": [{**GPU, **gpu}]}, indent=4)


def test_one_document_after_the_other_in_any_pieces() -> None:
    reader = DocumentReader()
    lines = (document() + "\n" + document(index=2)).splitlines()
    samples = reader.read(lines[:7]) + reader.read(lines[7:])
    assert [(s.gpu, s.utilization, s.power_w, s.memory_used_bytes) for s in samples] == [
        (1, 0.93, 268, 1 << 30),
        (2, 0.93, 268, 1 << 30),
    ]
    assert samples[0].name == "A100"
    assert reader.zoned is False


def test_what_is_no_such_document_is_passed_over_and_bounded() -> None:
    reader = DocumentReader()
    bad = ["{", '"gpus": 3', "}", "{" + "[" * 100_000 + "}", "not", *["x" * 1000] * (MOST_DOCUMENT // 900)]
    assert reader.read(bad) == []
    assert (
        reader.read(document(**{"power.draw": "lots", "utilization.gpu": 1e9, "index": True}).splitlines()) != []
    )
    assert reader.read(document(index="0").splitlines()) == []
    assert len(reader._text) <= MOST_DOCUMENT + 2000


def test_each_of_gpustats_figures_is_read_in_si_units() -> None:
    more = {"temperature.gpu": 61, "enforced.power.limit": 400, "memory.total": 81_920, "power.draw": True}
    (sample,) = DocumentReader().read(document(**more).splitlines())
    assert (sample.temperature_c, sample.power_limit_w, sample.memory_total_bytes) == (61, 400, 80 << 30)
    assert sample.power_w is None, "a truth value is no figure"


@pytest.mark.parametrize(("index", "count"), [(0, 1), (1023, 1), (1024, 0), (-1, 0)])
def test_a_machine_has_a_thousand_gpus_at_most(index: int, count: int) -> None:
    assert len(DocumentReader().read(document(index=index).splitlines())) == count


def test_a_gpu_without_a_figure_has_no_sample_and_a_document_may_stand_on_one_line() -> None:
    none = dict.fromkeys(("utilization.gpu", "power.draw", "memory.used"))
    text = " ".join(document(**none).split()) + "\n" + " ".join(document().split())
    assert [sample.gpu for sample in DocumentReader().read(text.splitlines())] == [1]


def test_its_figures_are_always_the_same_six() -> None:
    assert DocumentReader().fields == {
        "power_w", "power_limit_w", "utilization", "temperature_c", "memory_used_bytes", "memory_total_bytes"
    }  # fmt: skip
