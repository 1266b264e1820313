"""Small invented loops, each another shape of a training, with a stopwatch inside: see bench/invented_loops.py."""

import evaluations
import loops
from parts import SHAPES

__all__ = ["SHAPES", "evaluations", "loops"]
