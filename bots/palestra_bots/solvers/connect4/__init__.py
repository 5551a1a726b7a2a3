"""Connect four on 6x7, solved exactly: bitboards, bounds without search, a table, null-window search, a book.

The score and the frame of the search follow Pascal Pons' tutorial "Solving Connect 4: how to build a perfect AI"; what
is added to it, and where it comes from, is told in `bounds`, `keys`, `table` and `search`.
"""
