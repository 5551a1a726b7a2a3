"""The tables of tournaments as they are sent: small ones made here, large ones in another process."""

from palestra_server.tables.apart import Made, TableFile, TablesApart
from palestra_server.tables.making import (
    TABLES,
    Asked,
    compact_json,
    make,
    media_type,
    ruling_values,
    scheduled_values,
)
