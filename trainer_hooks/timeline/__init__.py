"""From marks to events: the daemon thread's room.

timeline.py     the events, in the order of their marks
course.py       how far the run has come
open_spans.py   spans and waits that have begun
held_marks.py   marks that wait until it is known whose steps end an iteration
turns.py        whose do, where several optimizers take turns
"""
