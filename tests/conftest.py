"""Settings shared by all tests. Being here also puts this folder on the path: `strategies` is importable."""

import signal

from hypothesis import HealthCheck, settings

from linkwright.system import snapshots

# Tests change how things are traced: what they trace is neither kept on disk nor found there. Processes that they start do.
snapshots.ENABLED = False

# The same examples in every run, so that a failure is found again; no time limit for a single one, machines are shared.
_common = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("linkwright", derandomize=True, max_examples=60, **_common)
# To look for trouble: pytest --hypothesis-profile=search
settings.register_profile("search", max_examples=3000, **_common)
settings.load_profile("linkwright")

# A shell starts what it runs in the background deaf to Ctrl-C, and programs inherit that: those we interrupt must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
