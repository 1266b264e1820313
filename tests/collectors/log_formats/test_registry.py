"""Formats are found where they lie: a new one is one new file, and it is checked when it is imported."""

import pkgutil
import re
import sys

import pytest

from itermon.collectors.log_formats import frameworks, index, registry, user_formats
from itermon.collectors.log_formats.base import LogFormat, Specificity
from itermon.collectors.log_formats.check_format import wrong_in_example
from itermon.collectors.log_formats.parsing.grammar import Line, handler
from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.collectors.log_formats.parsing.vocabulary import GrammarError
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import EXAMPLES, all_formats, built_in_formats
from itermon.collectors.log_formats.user_formats import formats_in_folder

NEW = '''
"""A format that nobody has seen."""

from itermon.collectors.log_formats.base import Example
from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser


class Unseen(LineParser):
    name = "unseen"
    about = "t: one step"
    lines = (
        Line("<<", r"<<(?P<iteration>\\\\d+)>> l=(?P<loss>N) t=(?P<duration_ms>N)"),
        Line("<val", r"<val (?P<val_loss>N)>", "evaluation"),
    )
    examples = (
        Example(
            "<<1>> l=2.5 t=100\\n<val 2.25>\\n<<2>> l=2.0 t=110",
            iterations=((1, 0.1, 1, 2.5), (2, 0.11, 1, 2.0)),
            evaluations=((2, {"val_loss": 2.25}),),
        ),
    )
'''.replace("\\\\", "\\")


@pytest.fixture
def new_file(tmp_path, monkeypatch):
    """A folder that is a part of `frameworks/`, with one new file in it."""
    all_formats()  # kept as they are without it
    (tmp_path / "unseen.py").write_text(NEW)
    monkeypatch.setattr(frameworks, "__path__", [*frameworks.__path__, str(tmp_path)])
    yield
    sys.modules.pop(f"{frameworks.__name__}.unseen", None)


def test_one_new_file_with_its_example_is_a_format(new_file):
    (found,) = (one for one in built_in_formats() if one.name == "unseen")
    log = found.examples[0].log.split("\n")
    assert recognise(log, [found, *all_formats()]).format is found
    assert wrong_in_example(found, found.examples[0], alone=True) == []


def test_every_module_below_frameworks_is_a_format_and_names_are_unique():
    names = [one.name for one in all_formats()]
    assert len(names) == len(set(names)) > 50
    for room in pkgutil.iter_modules(frameworks.__path__, f"{frameworks.__name__}."):
        package = sys.modules[room.name]
        modules = [*pkgutil.iter_modules(package.__path__, f"{room.name}.")]
        assert len(modules) <= 15, room.name
        for module in modules:
            assert [*registry.formats_of(sys.modules[module.name])], module.name


def test_the_toml_examples_are_loaded_and_none_is_wrong():
    found = formats_in_folder(EXAMPLES)
    assert found.problems == ()
    assert {one.name for one in found.formats} <= {one.name for one in all_formats()}
    assert len(found.formats) == len([*EXAMPLES.glob("*.toml")]) >= 2


def test_built_in_formats_need_no_time_limit_and_compile_nothing(monkeypatch):
    """`regex` takes 40 ms to import, for those who have formats of their own."""
    monkeypatch.setattr(user_formats, "TimedPattern", lambda *_: pytest.fail("a time limit"))
    monkeypatch.setattr(re, "compile", lambda *_: pytest.fail("compiled"))
    assert len(formats_in_folder(EXAMPLES, built_in=True).formats) >= 2
    assert len(built_in_formats()) > 50


def test_all_patterns_of_built_in_formats_compile():
    for one in all_formats():
        if isinstance(one.parser, type) and issubclass(one.parser, LineParser):
            assert all(kind.pattern.pattern for kind in one.parser.kinds())


def formats_in_order(*described):
    made = [
        LogFormat(name, "", bool, bool, LineParser, specificity=specificity, reads_instead_of=instead)
        for name, specificity, instead in described
    ]
    return [one.name for one in registry._ordered(made)]


def test_the_more_specific_comes_first_and_a_format_before_those_that_it_reads_instead_of():
    framework, common, guess = Specificity.FRAMEWORK, Specificity.COMMON, Specificity.GUESS
    assert formats_in_order(("a", guess, ()), ("b", common, ()), ("d", framework, ()), ("c", framework, ())) == [
        "c", "d", "b", "a",
    ]  # fmt: skip
    assert formats_in_order(("a", framework, ()), ("b", framework, ()), ("c", framework, ("a",))) == [
        "c",
        "a",
        "b",
    ]
    assert formats_in_order(("a", framework, ("b", "gone")), ("b", framework, ())) == ["a", "b"]
    assert formats_in_order(("a", framework, ()), ("b", framework, ("gone",))) == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (Line("", r"(?P<iteration>N) (?P<grad_norm>N)"), "a group 'grad_norm' means nothing here (did you mean gradient_norm?): legal are iteration, total"),
        (Line("", r"(?P<iteration>N) (?P<duration_msec>N)"), "a group 'duration_msec' means nothing here"),
        (Line("", r"(?P<iteration>N) (?P<loss_ms>N)"), "a group 'loss_ms' means nothing here"),
        (Line("", r"(?P<loss>N)"), "an iteration needs its number"),
        (Line("", r"(?P<iteration>N)", "iteraton"), "(did you mean iteration?)"),
        (Line("", r"(?P<iteration>N)", "position"), "kind 'position' is none of"),
        (Line("", r"(?P<val_loss>N) (?P<valloss>N)", "evaluation"), "'valloss' means nothing here (did you mean val_loss?): legal are iteration"),
        (Line("", r"(?P<rest>.*) (?P<rets>.*)", "own"), "a group 'rets' means nothing here"),
        (Line("", r"(?P<block_sise>N)", "config"), "legal are micro_batch_size, block_size"),
        (Line("", r"(?P<iteration>N)", units={"iteration": "ms"}), "units: iteration has no unit"),
        (Line("", r"(?P<iteration>N) (?P<duration>N)", units={"duration": "%"}), "'%' is none of s, ms"),
        (Line("", r"(?P<iteration>N)", "known"), "a line of this kind reads nothing"),
    ],
)  # fmt: skip
def test_a_mistyped_kind_group_or_unit_is_an_error_when_the_class_is_made(line, said):
    with pytest.raises(GrammarError, match=r"Mistyped: line 1: ") as error:

        class Mistyped(LineParser):
            name = "mistyped"
            lines = (line,)

            @handler(texts=("rest",))
            def own(self, fields, line):
                return []

    assert said in str(error.value)


def test_own_handlers_are_listed_among_the_legal_kinds():
    with pytest.raises(GrammarError, match=r"config, known, own$"):

        class Mistyped(LineParser):
            lines = (Line("", r"x", "onw"),)

            @handler()
            def own(self, fields, line):
                return []


def test_metrics_that_the_vocabulary_lacks_have_a_prefix_which_is_not_shown():
    class Scored(LineParser):
        lines = (Line("", r"^bleu (?P<metric_bleu>N)$", "evaluation"),)

    (_, ended) = Scored().line("bleu 27.5", None)
    assert ended.values == {"bleu": 27.5}


def test_metrics_of_an_iteration_are_its_scalars() -> None:
    class Rewarded(LineParser):
        lines = (Line("", r"^step (?P<iteration>N) loss (?P<loss>N) r (?P<metric_reward>N)$"),)

    (_, one) = Rewarded().line("step 7 loss 2.5 r -1.5", None)
    assert (one.loss, one.scalars) == (2.5, {"reward": -1.5})


def test_a_line_of_a_format_holds_what_it_needs() -> None:
    """Recognition passes a format over of whose words the lines have none."""
    formats = all_formats()
    assert sum(one.needs != ((),) for one in formats) > 70
    lines = {line for one in formats for example in one.examples for line in example.log.split("\n")}
    for one in formats:
        known, tells = index.entry("", one), one.is_distinctive or one.matches
        for line in filter(one.matches, lines):
            for needs in (one.needs, known.needs, known.telling if tells(line) else ((),)):
                assert any(all(word in line for word in words) for words in needs), (one.name, line, needs)


def test_candidates_are_all_formats_in_their_order_and_none_is_loaded_before_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in range(2):  # made, and as it was kept
        found = registry.candidates.__wrapped__()
        assert [one.load() for one in found] == [*all_formats()]
        assert [one.specificity for one in found] == [one.specificity for one in all_formats()]
    monkeypatch.setattr(registry, "built_in_formats", lambda: pytest.fail("loaded"))
    monkeypatch.setattr(registry, "_formats_at", lambda _: pytest.fail("loaded"))
    assert [one.needs for one in registry.candidates.__wrapped__()] == [one.needs for one in found]


def test_where_nothing_can_be_kept_all_formats_are_loaded(monkeypatch):
    monkeypatch.setattr(registry.index, "kept", lambda _: None)
    assert [one.load() for one in registry.candidates.__wrapped__()] == [*all_formats()]
