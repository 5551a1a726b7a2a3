"""The fast search: the algorithms of `reference`, compiled for each game that has a kernel.

engine      the two searches as compiled loops: plain alpha-beta (or minimax), and alpha-beta with a table
searcher    deepening, MTD(f) and the clock, in Python around them
"""
