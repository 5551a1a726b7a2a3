"""Positions to practise on: one's own losses as tests, those of the class, and ready-made ones."""

from palestra_client.drill.asking import Attempt, attempt, bot_named, practise
from palestra_client.drill.positions import NotADrill, Position, read

__all__ = ["Attempt", "NotADrill", "Position", "attempt", "bot_named", "practise", "read"]
