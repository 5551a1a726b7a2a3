"""A mancala program of the course whose answers drip: blank lines first, blanks around, the end of the line much later,
without which the bridge must go on."""

import sys
import time

player = 0


def answer(text):
    for piece in ("\r\n", "\n \t\n", f"  {text}"):
        sys.stdout.write(piece)
        sys.stdout.flush()
    time.sleep(0.2)
    sys.stdout.write(" \r\n\r\n")
    sys.stdout.flush()


while word := sys.stdin.readline():
    word = word.strip()
    if word == "PING":
        answer("PONG")
    elif word == "GETNAME":
        answer("a dribbler, no less")
    elif word == "TIMEOUT":
        sys.stdin.readline()
        answer("")
    elif word == "SETPLAYER":
        player = int(sys.stdin.readline())
        answer("OK")
    elif word == "GETMOVE":
        numbers = [int(number) for number in sys.stdin.readline().split()]
        pits = numbers[-14:][7 * player : 7 * player + 7]
        answer(min(pit for pit in range(1, 7) if pits[pit]))
    else:
        answer("OK")
