"""The same examples every time, however busy the machine: a check that fails must fail for the change in hand.

`pytest --hypothesis-profile=default` looks for new ones, and so does bench/fuzz.py.
"""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("check", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("check")

# Who runs the tests in the background (nohup, a job of a shell) leaves these two ignored, and so would all the
# programs that they start, whose Ctrl-C some tests are about.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
