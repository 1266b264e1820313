"""NGCF and its children: epochs with their own times, and the tests of some of them."""

from log_examples import iterations, of, read

from itermon.events import End, SpanEnd, Total

ROW = "Epoch {n} [12.5s{tested}]: train==[4.50000=3.25000 + 1.25000 ]{found}"


def test_an_epoch_has_its_own_time_and_its_test_another() -> None:
    found = ", test-recall=[0.1250, 0.2500], ndcg=[0.37500\t0.50000]"
    rows = [ROW.format(n=0, tested="", found=""), ROW.format(n=1, tested=" + 2.5s", found=found)]
    events = read("NGCF", "\n".join(rows))
    assert [(one.index, one.duration_s, one.loss) for one in iterations(events)] == [
        (0, 12.5, 4.5),
        (1, 12.5, 4.5),
    ]
    assert [(one.after, one.duration_s, one.values) for one in of(SpanEnd, events)] == [
        (
            1,
            2.5,
            {
                "test recall, fewest": 0.125,
                "test recall, most": 0.25,
                "test ndcg, fewest": 0.375,
                "test ndcg, most": 0.5,
            },
        )
    ]


def test_the_best_stands_at_the_end_with_what_all_took() -> None:
    events = read("NGCF", f"{ROW.format(n=0, tested='', found='')}\nBest Iter=[0]@[40.5]\trecall=[0.5\t0.75]\n")
    assert [one.duration_s for one in of(Total, events)] == [40.5]
    assert len(of(End, events)) == 1
