"""The object detection API: means of the steps between two lines, each perhaps said twice."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.tensorflow.object_detection import ObjectDetection
from itermon.events import PrintedLoss

NAME = "TensorFlow object detection"
TWICE = """INFO:tensorflow:Step 300 per-step time 1.500s
I0914 10:00:53.000000 140 model_lib_v2.py:705] Step 300 per-step time 1.500s
INFO:tensorflow:{'Loss/classification_loss': 0.5,
 'Loss/total_loss': 0.75,
 'learning_rate': 0.03}
I0914 10:00:53.000000 140 model_lib_v2.py:708] {'Loss/classification_loss': 0.5,
 'Loss/total_loss': 0.75,
 'learning_rate': 0.03}
INFO:tensorflow:Step 500 per-step time 0.250s
"""


def test_a_line_said_twice_is_one_row_and_its_total_loss_stands_below_it() -> None:
    found = read(NAME, TWICE)
    assert [(i.index, i.duration_s) for i in iterations(found)] == [(300, 1.5), (500, 0.25)]
    assert [(one.iteration, one.loss) for one in of(PrintedLoss, found)] == [(300, 0.75)]
    assert [i.averaged_over for i in iterations(found)] == [1, 200]


def test_a_log_that_was_looked_at_says_of_how_many_steps_its_first_line_is() -> None:
    parser, lines = ObjectDetection(), TWICE.splitlines()
    parser.learn(lines)
    found = iterations([event for line in lines for event in parser.line(line, None)])
    assert [i.averaged_over for i in found] == [200, 200]
