"""How Hypothesis works here: the same examples in every run, none of them late on a machine that is busy with something
else."""

from hypothesis import HealthCheck, settings

settings.register_profile("palestra", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("palestra")
