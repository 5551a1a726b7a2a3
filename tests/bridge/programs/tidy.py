"""A mancala program of the course that does everything as it should: it plays the highest pit that has seeds."""

import sys

answers = {"PING": "PONG", "GETNAME": "tidy", "END": "OK", "BADNAME": "OK"}
player = 0

for line in sys.stdin:
    word = line.strip()
    if word == "TIMEOUT":
        sys.stdin.readline()
        print("OK", flush=True)
    elif word == "SETPLAYER":
        player = int(sys.stdin.readline())
        print("OK", flush=True)
    elif word == "GETMOVE":
        numbers = [int(number) for number in sys.stdin.readline().split()]
        board = numbers[numbers[0] + 2 :]
        pits = board[7 * player + 1 : 7 * player + 7]
        print(max(pit for pit in range(1, 7) if pits[pit - 1]), flush=True)
    else:
        print(answers[word], flush=True)
