"""Game-tree search: `reference` is the textbook in plain Python, `fast` the compiled engine."""
