"""Game-tree search: `reference` is the textbook in plain Python; the compiled engine stands beside it."""
