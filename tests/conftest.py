"""How Hypothesis works here: no example is late on a machine that is busy with something else."""

from hypothesis import HealthCheck, settings

settings.register_profile("palestra", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("palestra")
