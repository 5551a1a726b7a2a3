"""Adapters to other game-playing libraries. Import each by its own name; some need that library installed."""
