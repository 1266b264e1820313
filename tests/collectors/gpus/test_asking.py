"""A question that cannot be answered is asked once, or again later; what means more than it is passed on."""

import pytest

from itermon.collectors.gpus.asking import ASK_AGAIN_S, Asker, DriverError


class MadeError(DriverError):
    FOR_GOOD, LOST, GONE, NO_CALL = {2}, {7}, {9}, 3


class MadeLibrary:
    module = None

    def __init__(self, **answers):
        self.now_s, self.asked, self.answers = 0.0, [], answers

    def clock(self):
        return self.now_s

    def call(self, name, *arguments):
        self.asked.append(name)
        answer = self.answers[name]
        if isinstance(answer, DriverError):
            raise answer
        return answer


def test_an_answer_has_no_reason_to_be_missing():
    asker = Asker(MadeLibrary(power=300))
    assert (asker.ask("power_w", "power"), asker.why("power_w")) == (300, "")


@pytest.mark.parametrize(
    ("code", "later_s", "asked"), [(2, 1e9, 1), (5, ASK_AGAIN_S - 0.1, 1), (5, ASK_AGAIN_S, 2)]
)
def test_what_was_refused_is_asked_again_later_or_never(code, later_s, asked):
    asker = Asker(library := MadeLibrary(power=MadeError("busy", code)))
    assert (asker.ask("power_w", "power"), asker.why("power_w")) == (None, "busy")
    library.now_s = later_s
    assert asker.ask("power_w", "power") is None
    assert len(library.asked) == asked


@pytest.mark.parametrize("code", [7, 9])
def test_what_means_the_whole_gpu_or_all_is_passed_on(code):
    with pytest.raises(MadeError) as raised:
        Asker(MadeLibrary(power=MadeError("gone", code))).ask("power_w", "power")
    assert (raised.value.is_of_gpu, raised.value.is_of_all) == (True, code == 9)


def test_an_older_driver_is_asked_by_its_own_name():
    library = MadeLibrary(new=MadeError("no such call", 3), old=5, power=MadeError("busy", 5))
    asker = Asker(library)
    assert asker.ask("power_w", "new", instead="old") == 5
    assert asker.ask("other", "power", instead="old") is None
    assert library.asked == ["new", "old", "power"]


def test_what_is_never_to_be_asked_is_not():
    asker = Asker(library := MadeLibrary(power=1))
    asker.never("power_w", "not for this one")
    assert (asker.ask("power_w", "power"), asker.why("power_w"), library.asked) == (None, "not for this one", [])


def test_a_reason_names_its_call_where_one_is_given():
    assert (str(MadeError("busy", 5, "power")), MadeError("busy", 5, "power").reason) == ("power: busy", "busy")
    assert str(MadeError("busy")) == "busy"
