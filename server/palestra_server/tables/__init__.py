"""The tables of tournaments as they are sent: made here for small ones, in another process for large ones."""

from palestra_server.tables.apart import MakingStopped, TablesApart
from palestra_server.tables.making import TABLES, fixture_values, make, media_type, scheduled_values

__all__ = ["TABLES", "MakingStopped", "TablesApart", "fixture_values", "make", "media_type", "scheduled_values"]
