"""The web port: the page, the API, `/healthz` for monitoring, `/metrics` for Prometheus."""

from typing import Final

API: Final = "/api/v1"  # prefix of the API's paths
