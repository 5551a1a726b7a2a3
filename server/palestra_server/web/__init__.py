"""The web port: the page, the API, `/healthz` for monitoring, `/metrics` for Prometheus."""

from typing import Final

API: Final = "/api/v1"  # prefix of the API's paths
NO_REFEREE: Final = "no_referee"  # the error code of a machine that stands by, when it knows of none that referees
