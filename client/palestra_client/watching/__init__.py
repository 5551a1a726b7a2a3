"""Watching in a terminal: what the server tells spectators, kept as values, and drawn."""
