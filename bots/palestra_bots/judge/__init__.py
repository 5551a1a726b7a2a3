"""The judge: what every position of a match was worth, which move decided it, and what that says about the program."""

from palestra_bots.judge.kept import judge

__all__ = ["judge"]
