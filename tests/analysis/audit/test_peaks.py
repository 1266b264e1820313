"""The table of peaks: right parts, and no part taken for another."""

import re

import pytest

from itermon.analysis.audit import peaks


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("NVIDIA H200", "H200"),
        ("NVIDIA H200 NVL", "H200 NVL"),
        ("h200", "H200"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("H100 SXM", "H100"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("A100", "A100"),
        ("NVIDIA A100 80GB PCIe", "A100"),
        ("Tesla V100-SXM2-32GB", "V100 SXM2"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA A40", "A40"),
        ("NVIDIA RTX A4000", "RTX A4000"),
        ("RTX 4070", "RTX 4070"),
        ("NVIDIA GeForce RTX 4070 Ti", "RTX 4070 Ti"),
        ("4090 RTX 4090 D", None),
        ("NVIDIA GeForce RTX 4090 D", "RTX 4090 D"),
        ("AMD Instinct MI300X", "MI300X"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA GeForce RTX 3080 Max-Q", None),
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", None),
        ("GRID A100-20C", None),
        ("H100", None),
        ("V100", None),
        ("NVIDIA GeForce RTX 2070 SUPER", "RTX 2070 SUPER"),
        ("GeForce RTX 2070", "RTX 2070"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Server"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Max-Q"),
        ("NVIDIA GB10", "GB10"),
        ("AMD Radeon RX 7900 XTX", "RX 7900 XTX"),
        ("AMD Instinct MI350X", "MI350X"),
        ("TPU v5 lite", "TPU v5e"),
        ("Intel(R) Data Center GPU Max 1550", None),  # of the card, or of one of its two tiles?
        ("NVIDIA RTX PRO 4000 Blackwell", None),  # two sources differ by a quarter
        ("GeForce GTX 1080 Max-Q", None),
        ("AMD Radeon RX 7900 GRE", None),
        ("Apple M2", None),
        ("", None),
    ],
)
def test_a_name_finds_its_own_part_or_none(name: str, label: str | None) -> None:
    found = peaks.find(name)
    assert (found.label if found else None) == label


def test_every_exact_name_finds_its_row_and_no_label_is_ambiguous() -> None:
    assert len(peaks.table()) >= 120
    for peak in peaks.table():
        assert peak.source
        for name in peak.names:
            assert peaks.find(name) is peak
        assert peaks.find(f"{peak.names[0] if peak.names else peak.label} Laptop GPU") is None


def test_a_row_that_nobody_confirms_says_so() -> None:
    unchecked = {peak.label for peak in peaks.table() if peak.source.endswith(peaks.UNCHECKED)}
    assert {"GB300", "B100", "A10G"} <= unchecked
    assert not {"RTX 3090", "A100", "H100", "H200", "B200", "MI300X", "TPU v6e"} & unchecked
    assert len(unchecked) <= 20


def test_computed_peaks_are_what_their_source_computes() -> None:
    computed = 0
    for peak in peaks.table():
        formula = re.search(r"([\d,]+) SMs × (\d+) × ([\d.]+) GHz", peak.source)
        if formula:
            computed += 1
            sms, per_clock, clock = (float(x) for x in formula.groups())
            best = next(peak.flops[mode] for mode in ("bf16", "fp16", "fp32") if mode in peak.flops)
            most = peak.flops["fp32"] if "no tensor cores" in peak.source else best
            assert most == pytest.approx(sms * per_clock * clock * 1e9, rel=0.012), peak.label
    assert computed > 30


def test_consumer_parts_accumulate_at_half_rate() -> None:
    for peak in peaks.table():
        if re.match(r"RTX [345]0\d0(?! Ada)", peak.label):
            assert peak.flops["bf16"] == pytest.approx(2 * peak.flops["fp32"], rel=0.01), peak.label


def test_a_doubtful_name_says_what_it_may_be() -> None:
    assert "H100 NVL, H100 PCIe or H100: " in peaks.why_unknown("H100")
    assert "slice" in peaks.why_unknown("NVIDIA A100-SXM4-80GB MIG 1g.10gb")
    assert "--peak-flops" in peaks.why_unknown("Apple M2")
    assert "--peak-flops" in peaks.why_unknown("NVIDIA H100 of tomorrow")  # no name of a part at all
    assert "--peak-flops" in peaks.why_unknown("GB10 Max")  # it could only be one, and it is not
    assert peaks.why_unknown("NVIDIA H100").startswith("'NVIDIA H100' may be ")
    assert "may be" not in peaks.why_unknown("Quadro P2000"), "none of the table has that number"


def test_without_a_precision_the_part_decides() -> None:
    t4, a100 = peaks.find("Tesla T4"), peaks.find("A100")
    assert t4 is not None
    assert a100 is not None
    assert t4.at(None) == (65e12, "fp16")
    assert t4.at("bf16") == (None, "bf16")
    assert a100.at(None) == (312e12, "bf16")
    assert a100.at("BF16") == a100.at("bfloat16") == (312e12, "bf16")
    assert a100.at("fp32") == (19.5e12, "fp32")
    assert (a100.at("tf32"), t4.at("tf32")) == ((156e12, "tf32"), (8.1e12, "fp32")), "which runs it as plain fp32"


def test_achieved_speed_excludes_slower_parts() -> None:
    out, left = peaks.excluded(48.0e12, "bf16")
    assert {"RTX 3060", "RTX 4060", "RTX 4060 Ti"} <= {p.label for p in out}
    assert {"RTX 4070", "RTX 3080 12GB"} <= {p.label for p in left}
    a100 = peaks.find("A100")
    assert a100 is not None
    assert peaks.excluded(312e12, None, [a100]) == ([], [a100])  # the peak itself can be reached
    assert peaks.excluded(312.1e12, None, [a100]) == ([a100], [])
    assert peaks.excluded(1e12, "fp4", [a100]) == ([], [])


def test_an_assumed_peak_is_traced() -> None:
    assert peaks.assumed_by(312e12) == "A100"
    assert peaks.assumed_by(989e12) == "H100"
    assert peaks.assumed_by(362e12) == "L40S"
    assert peaks.assumed_by(100e12) == ""  # a round number is nobody's
    assert peaks.assumed_by(401e12) == ""
    assert peaks.assumed_by(980e12) == "H100"  # and no MI300A, of 980.6
    assert peaks.assumed_by(275e12) == "TPU v4"
    assert peaks.assumed_by(220e12) == ""  # RTX PRO 4500: 219.7
    assert peaks.assumed_by(165.2e12) == "RTX 4090"  # A30: 165.0
    assert peaks.assumed_by(181e12) == "MI210 or L40"  # L40: 181.1
    assert peaks.assumed_by(2500e12) == "GB200 or GB300 or MI355X"
