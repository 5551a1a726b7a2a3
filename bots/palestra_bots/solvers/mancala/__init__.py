"""The exact solver of mancala, Kalah with 1 to 6 pits a side, and perfect play of the match game.

rows          positions without stores, and the moves
endgame       the value of every position with few seeds; `cache` keeps it on disk
table         the transposition table
search        alpha-beta with null windows over both
solver        MTD(f) around it
book          the first moves, made by `book_builder`
play          perfect moves against the clock
"""
