"""`gpustat --json`, again and again."""

import json

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
