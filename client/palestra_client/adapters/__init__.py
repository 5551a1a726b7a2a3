"""Bridges to other worlds of game-playing programs; each needs its own package and is imported by its own name."""
