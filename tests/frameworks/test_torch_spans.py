"""The automatic mode with real torch: evaluations, checkpoints and compilations, and what only looks like one."""

from __future__ import annotations

import pytest
from torch_script import Train, ends, iterations, script

from itermon.events import CHECKPOINT, COMPILE, EVALUATION, Config, Message, SpanBegin

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")


def test_evaluations_and_checkpoints_are_spans_inside_their_iteration(train: Train) -> None:
    events = train(
        script("""
        for i in range(4):
            time.sleep(0.01)
            step()
            if i == 1:
                model.eval()
                with torch.no_grad(): model(torch.randn(4, 8)); time.sleep(0.05)
                model.train()
                torch.save(model.state_dict(), "checkpoint.pt")
        model.eval()  # and never trained again
        with torch.no_grad(): time.sleep(0.2)
        time.sleep(0.3)  # to show what came out
        """),
        sleeps_alone=True,
    )
    evaluation, last = ends(events, EVALUATION)
    assert (last.iteration, last.void) == (4, False)
    assert last.duration_s is not None
    assert 0.2 <= last.duration_s < 0.3, "it was over when `no_grad` was left"
    (checkpoint,) = ends(events, CHECKPOINT)
    assert (evaluation.iteration, checkpoint.iteration) == (2, 2)
    assert evaluation.duration_s is not None
    assert evaluation.duration_s >= 0.05
    assert checkpoint.detail == "checkpoint.pt"
    assert checkpoint.values["bytes"] > 500
    slow = iterations(events)[2]
    assert slow.duration_s is not None
    assert slow.duration_s > evaluation.duration_s
    assert sum(isinstance(event, SpanBegin) and event.kind == EVALUATION for event in events) == 2


def test_a_teachers_eval_is_no_evaluation_and_one_that_learns_was_none(train: Train) -> None:
    events = train(
        script("""
        teacher = torch.nn.Linear(8, 8).requires_grad_(False)
        teacher.eval()
        step()
        model.eval()
        step()  # somebody trains in eval mode
        step()
        """)
    )
    assert [(event.iteration, event.void) for event in ends(events, EVALUATION)] == [(1, True)]


def test_what_is_loaded_and_an_average_of_the_model_are_evaluated_as_it_is(train: Train) -> None:
    events = train(
        script(
            """
            import copy
            average = copy.deepcopy(model).eval()
            def evaluate(module):
                module.eval()
                with torch.no_grad(): module(torch.randn(4, 8))
            for _ in range(2):
                model.train()
                for _ in range(3): step()
                evaluate(average)
            model.train()
            for _ in range(3):
                average.eval()  # it teaches
                with torch.no_grad(): average(torch.randn(4, 8))
                step()
            evaluate(model)
            torch.save(model, "best.pt")
            evaluate(torch.load("best.pt", weights_only=False))
            """
        )
    )
    evaluations = [event for event in ends(events, EVALUATION) if not event.void]
    assert [event.iteration for event in evaluations] == [3, 6, 9, 9]
    assert len([event for event in ends(events, EVALUATION) if event.void]) == 1, "a teacher asks once"


def test_a_loop_begins_before_its_first_forward_and_starting_workers_is_a_wait(train: Train) -> None:
    events = train(
        script(
            """
            class Data(Dataset):
                def __len__(self): return 4
                def __getitem__(self, i): return torch.randn(8)
            class Loader(DataLoader):
                def _get_iterator(self):  # as starting workers takes
                    time.sleep(0.1)
                    return super()._get_iterator()
            optimizer.zero_grad()
            time.sleep(0.2)  # the first forward
            step()
            for batch in Loader(Data(), batch_size=2): step()
            """
        )
    )
    first, second, *_ = iterations(events)
    assert (first.duration_s or 0) >= 0.2
    assert (second.data_wait_s or 0) >= 0.1


def test_a_frozen_batch_norm_is_no_evaluation_and_train_false_is_one(train: Train) -> None:
    events = train(
        script("""
        class Net(torch.nn.Sequential):
            def eval(self): return self.train(False)  # as transformers 5 has it
        model = Net(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
        for i in range(6):
            model.train()
            model[1].eval()
            step()
            if i in (1, 3):
                model.train(False) if i == 1 else model.eval()
                time.sleep(0.05)
        """),
        sleeps_alone=True,
    )
    assert [event.iteration for event in ends(events, EVALUATION)] == [2, 4]
    assert all(0.05 <= (event.duration_s or 0.0) < 0.1 for event in ends(events, EVALUATION))
    assert [i.index for i in iterations(events)] == list(range(6))


def test_the_critics_steps_of_a_wgan_are_parts_of_the_generators_iterations(train: Train) -> None:
    events = train(
        script("""
        critic = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Linear(4, 1))
        critics = torch.optim.RMSprop(critic.parameters(), lr=0.5)
        for i in range(5):
            for _ in range(5):
                model.eval()
                critic(model(torch.randn(4, 8)).detach()).mean().backward()
                critics.step()
                model.train()
            critic.eval()
            critic(model(torch.randn(4, 8))).mean().backward()
            optimizer.step()
            critic.train()
        """)
    )
    assert [(i.index, i.learning_rate) for i in iterations(events)] == [(n, 0.25) for n in range(5)]
    assert ends(events, EVALUATION) == []
    assert not [event for event in events if isinstance(event, Config) and event.gradient_accumulation]


def test_nested_and_asynchronous_saves_count_once_or_not_at_all(train: Train) -> None:
    events = train(
        script("""
        import io, threading
        import torch.distributed.checkpoint as dcp
        step()
        dcp.save({"model": model.state_dict()}, checkpoint_id="dcp")
        torch.save(model.state_dict(), io.BytesIO())
        thread = threading.Thread(target=lambda: torch.save({}, "elsewhere.pt"))
        thread.start(); thread.join()
        step()
        """)
    )
    assert [event.detail for event in ends(events, CHECKPOINT)] == ["dcp"]


def test_safetensors_are_seen(train: Train) -> None:
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    events = train(
        script("""
        import safetensors.torch
        step()
        safetensors.torch.save_file(model.state_dict(), "model.safetensors")
        step()
        """)
    )
    (checkpoint,) = ends(events, CHECKPOINT)
    assert checkpoint.detail == "model.safetensors"
    assert checkpoint.values["bytes"] > 0


def test_a_loop_that_never_says_eval_is_seen_to_evaluate(train: Train) -> None:
    events = train(
        script("""
        teacher = torch.nn.Linear(8, 1)
        loader = DataLoader(torch.randn(12, 8), batch_size=4)
        def without_gradients(model):
            with torch.no_grad():
                for batch in loader:
                    model(batch)
                    time.sleep(0.02)
        for _ in range(2):
            for batch in loader:
                with torch.no_grad(): teacher(batch)
                step()
            without_gradients(model)
            without_gradients(teacher)
        """),
        sleeps_alone=True,
    )
    found = [event.duration_s or 0.0 for event in ends(events, EVALUATION)]
    assert len(found) == 2
    assert all(0.06 <= seconds < 0.07 for seconds in found)


def test_compilation_is_a_span_and_a_recompilation_says_why(train: Train) -> None:
    events = train(
        script("""
        compiled = torch.compile(model, backend="eager")
        def train(batch):
            compiled(torch.randn(batch, 8)).mean().backward()
            optimizer.step()
        train(4)
        train(4)
        train(2)
        torch._dynamo.reset()  # drops everybody's callbacks
        train(4)
        train(4)
        torch.compile(torch.nn.Linear(8, 1), backend="eager")(torch.randn(4, 8))
        step()
        """)
    )
    assert [event.iteration for event in ends(events, COMPILE)] == [None, 2, 3, 5]
    reported = [(event.iteration, event.text) for event in events if isinstance(event, Message)]
    assert reported[0][0] == 2
    assert "size mismatch" in reported[0][1]
