"""The exact solver of mancala: Kalah with 1 to 6 pits a side and either capture rule.

rows     positions without stores, and the moves
endgame  the value of every position with few seeds
table    the transposition table
search   alpha-beta with null windows over both
solver   MTD(f) around it
"""
