"""CatBoost: whole seconds from a minute on."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd


def test_trees_within_whole_seconds_share_a_mean():
    log = "\n".join(
        f"{n}:      learn: {1 / (n + 1)} test: 0.5   total: 1m {n // 10}s   remaining: 50m" for n in range(401)
    )
    events = read("CatBoost", log)
    times = [(i.index, i.duration_s, i.averaged_over) for i in iterations(events) if i.duration_s]
    assert times == [(200, 0.1, 200), (400, 0.1, 200)]
    assert len(iterations(events)) == 401 == len(of(SpanEnd, events))
