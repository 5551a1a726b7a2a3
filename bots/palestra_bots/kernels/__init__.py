"""Fast boards: for each game a kernel of small compiled functions that the fast search is built on.

`interface.Kernel` says what a kernel offers; `load.kernel_for(game)` gives the kernel of a game.
"""
