"""Finds what is wrong with a bot at home, and says so in plain words, before it costs a match."""
