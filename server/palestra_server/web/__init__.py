"""The web port: the page, the API, `/healthz` for whoever watches the server, `/metrics` for Prometheus."""

from typing import Final

API: Final = "/api/v1"
"""Prefix of the API's paths."""
