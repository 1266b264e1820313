"""Meters of agents: what counts, which time is the steps' own, and what is inside."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd

NAME = "CURL, SAC, DrQ, TD-MPC"


def test_a_model_that_is_trained_anew_inside_is_no_training_of_its_own() -> None:
    block = [f"| model_train | I: 0 | E: {n} | TD: 200 | MLOSS: {9 - n}.5 | MVSCORE: 0.25" for n in range(3)]
    text = "\n".join(
        [*block, *(f"| results | S: {n} | R: 1.5" for n in (1, 2)), *block, "| results | S: 3 | R: 2.5"]
    )
    rows = iterations(read(NAME, text))
    assert [one.index for one in rows] == [1, 2, 3]
    assert rows[0].scalars == {"TD": 200.0, "MLOSS": 7.5, "MVSCORE": 0.25, "reward": 1.5}
    assert rows[1].scalars == {"reward": 1.5}


def test_an_episode_s_time_is_that_of_the_steps_if_it_alone_lies_between_two_rows() -> None:
    """CURL prints each tenth episode, say, and what the newest one took."""
    text = "\n".join(
        f"| train | E: {e} | S: {s} | D: {d} | R: 0.5 | A_LOSS: 0.25"
        for e, s, d in (
            (1, 100, "2.0 s"),
            (2, 200, "2.0 s"),
            (4, 400, "2.0 s"),
            (5, 500, "0.5"),
            (6, 500, "2.0 s"),
        )
    )
    assert [(one.index, one.duration_s, one.averaged_over) for one in iterations(read(NAME, text))] == [
        (100, None, 1), (200, 0.02, 100), (400, None, 1), (500, None, 1)
    ]  # fmt: skip


def test_what_two_agents_or_a_pretraining_count_is_not_mixed() -> None:
    text = "\n".join(
        [
            "| pretrain | S: 5 | R: 0.5",
            *(f"| train | E: {n} | S: {n}00 | R: 0.5 | T: 0:0{n}:00" for n in (1, 2)),
            "| agent | S: 7000 | BR: 0.5",
            "| eval | E: 2 | S: 200 | R: 2.5",
            "| train | E: 3 | S: 300 | R: 0.5 | T: 0:03:00",
        ]
    )
    events = read(NAME, text)
    assert [(one.index, one.duration_s) for one in iterations(events)] == [(100, None), (200, 0.6), (300, 0.6)]
    assert [one.values for one in of(SpanEnd, events)] == [{"reward": 2.5}]


def test_td_mpc_has_no_strokes_and_writes_thousands_apart() -> None:
    text = "\n".join(
        f" train          E: {n}                 I: {n},500               R: {n}.5            T: 0:0{n}:00   "
        for n in (1, 2, 3)
    )
    rows = iterations(read(NAME, text))
    assert [(one.index, one.duration_s, one.scalars) for one in rows] == [
        (1500, None, {"reward": 1.5}), (2500, 0.06, {"reward": 2.5}), (3500, 0.06, {"reward": 3.5})
    ]  # fmt: skip
    assert iterations(read(NAME, "| train | S: 9e400 | R: 0.5")) == []
