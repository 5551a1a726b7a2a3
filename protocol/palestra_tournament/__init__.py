"""Tournament formats and their tables, as pure functions: no clock, no random source, no socket.

A format says who meets whom; standings are computed from results alone, so anybody can compute them again.
"""

from palestra_tournament.round_robin import Fixture, double_round_robin
from palestra_tournament.standings import Crosstable, Result, Row, crosstable, standings

__all__ = ["Crosstable", "Fixture", "Result", "Row", "crosstable", "double_round_robin", "standings"]
