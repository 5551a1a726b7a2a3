"""A mancala program of the course that says its last answer once more after TIMEOUT, and a lot on standard error."""

import sys

last = "parrot"
player = 0

while True:
    word = input()
    if word == "TIMEOUT":
        sys.stderr.write(f"{input()} ms\n")
    elif word == "SETPLAYER":
        player = int(input())
        last = "OK"
    elif word == "GETMOVE":
        line = input()
        sys.stderr.write(line * 2000)  # and no line end
        board = line.split()[-14:]
        pits = board[7 * player + 1 : 7 * player + 7]
        last = min(pit for pit in range(1, 7) if pits[pit - 1] != "0")
    else:
        last = {"PING": "PONG", "GETNAME": "parrot"}.get(word, "OK")
    print(last)
