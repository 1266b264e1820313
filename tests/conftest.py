"""The same examples every time, however busy the machine: a check that fails must fail for the change in hand.

`pytest --hypothesis-profile=default` looks for new ones, and so does bench/fuzz.py.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("check", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("check")
