"""The phases of an iteration with real torch: logging, copies of a batch, and what the training stops for."""

from __future__ import annotations

import pytest
from torch_script import Train, script

from itermon.events import CHECKPOINT, EVALUATION, FORWARD, HOST_TO_DEVICE, LOGGING, Event, Phases

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")


def phases(events: list[Event]) -> dict[int, dict[str, float]]:
    found = [event for event in events if isinstance(event, Phases)]
    assert all(event.on_host and event.whole for event in found)
    return {event.iteration: event.phases for event in found}


def test_logging_and_stops_are_no_part_of_the_forward_pass_they_precede(train: Train) -> None:
    events = train(
        script("""
        import logging
        class Slow(logging.Handler):
            def emit(self, record): time.sleep(0.2)
        logging.getLogger().addHandler(Slow())
        for i in range(6):
            step()
            if i == 2: logging.warning("a line")
            if i == 3:
                model.eval()
                with torch.no_grad(): model(torch.randn(4, 8)); time.sleep(0.2); logging.warning("inside")
                model.train()
                torch.save(model.state_dict(), "checkpoint.pt")
            if i == 4:
                with hooks.phase("logging"): time.sleep(0.2)
        """)
    )
    of = phases(events)
    assert 0.2 <= of[3][LOGGING] < 0.4
    assert 0.4 <= of[4][EVALUATION] < 0.6
    assert of[4][CHECKPOINT] > 0
    assert LOGGING not in of[4]
    assert 0.2 <= of[5][LOGGING] < 0.4
    assert all(of[index][FORWARD] < 0.2 for index in (3, 4, 5))


def test_what_accelerate_copies_for_the_script_is_on_its_way_to_the_device(train: Train) -> None:
    pytest.importorskip("accelerate", reason="accelerate is not installed: make test-frameworks runs this")
    events = train(
        script("""
        from accelerate import Accelerator
        import accelerate.data_loader
        accelerator = Accelerator(cpu=True)
        loader = DataLoader(torch.randn(12, 8), batch_size=2)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
        """)
    )
    assert sum(HOST_TO_DEVICE in of for of in phases(events).values()) >= 5
