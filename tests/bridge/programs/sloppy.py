"""A mancala program of the course that forgets line ends, says OK twice, nothing to TIMEOUT, and what it thinks."""

import sys

player = 0

while True:
    word = sys.stdin.readline()
    if not word:
        break
    word = word.strip().upper()
    if word == "PING":
        sys.stdout.write("Welcome to sloppy!\r\npong")
    elif word == "GETNAME":
        sys.stdout.write("sloppy 0.1 (beta)\n")
    elif word == "TIMEOUT":
        sys.stdin.readline()
    elif word == "SETPLAYER":
        player = int(sys.stdin.readline())
        sys.stdout.write("OK\nOK\n")
    elif word == "GETMOVE":
        numbers = [int(number) for number in sys.stdin.readline().split()]
        pits = numbers[-14:][7 * player + 1 :][:6]
        pit = min(pit for pit in range(1, 7) if pits[pit - 1])
        sys.stdout.write(f"I take pit number {pit}\n {pit}")
    elif word == "END":
        sys.stdout.write("OK")
        break
    sys.stdout.flush()
