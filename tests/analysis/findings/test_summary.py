"""What is said first."""

import pytest

from itermon.analysis.findings import Verdict


@pytest.mark.parametrize(
    ("kind", "headline", "ending", "said"),
    [
        ("failed", "Boom.", "Failed: boom.", ("Boom.",)),
        ("hang", "It hangs.", "Failed: boom.", ("It hangs.",)),
        ("healthy", "All is well.", "", ("All is well.",)),
        ("healthy", "", "", ()),
        ("failed", "", "Failed: boom.", ()),
        ("healthy", "All is well.", "Finished.", ("Finished.", "All is well.")),
        ("healthy", "", "Finished.", ("Finished.",)),
        ("loss-not-finite", "It is NaN.", "Finished.", ("It is NaN.", "Finished.")),
        ("loss-grown", "", "Finished.", ("Finished.",)),
    ],
)
def test_the_end_is_said_first_but_for_a_broken_loss(
    kind: str, headline: str, ending: str, said: tuple[str, ...]
) -> None:
    assert Verdict(kind=kind, headline=headline, ending=ending).opening == said
