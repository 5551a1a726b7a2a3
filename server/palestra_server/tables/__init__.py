"""The tables of tournaments as they are sent: small ones made here, large ones in another process."""

from palestra_server.tables.apart import TablesApart
from palestra_server.tables.making import TABLES, fixture_values, make, media_type, scheduled_values

__all__ = ["TABLES", "TablesApart", "fixture_values", "make", "media_type", "scheduled_values"]
