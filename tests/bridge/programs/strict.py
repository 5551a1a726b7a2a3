"""A mancala program of the course that keeps the board by itself, from its own pits and those it is told of, and gives
up if it is ever told anything else. Its child process, which chooses the pit, outlives it."""

import subprocess
import sys

CHOOSE = "import sys, time\nfor line in sys.stdin: print(max(line.split(), key=int), flush=True)\ntime.sleep(600)"

if len(sys.argv) != 1:
    sys.exit("I was started with arguments.")
chooser = subprocess.Popen([sys.executable, "-c", CHOOSE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
rows = [[0, 4, 4, 4, 4, 4, 4] for _ in range(2)]  # store, pits 1 to 6
player = 0


def sow(who, pit):
    side, at = who, pit
    seeds, rows[who][pit] = rows[who][pit], 0
    while seeds:
        if at > 1:
            at -= 1
        elif at == 1 and side == who:
            at = 0
        else:
            side, at = 1 - side, 6
        rows[side][at] += 1
        seeds -= 1
    if side == who and at and rows[who][at] == 1 and rows[1 - who][7 - at]:
        rows[who][0] += 1 + rows[1 - who][7 - at]
        rows[who][at] = rows[1 - who][7 - at] = 0


def move(line):
    count, *rest = map(int, line.split())
    for pit in rest[:count]:
        sow(1 - player, pit)
    turn, *board = rest[count:]
    if turn != player or board != rows[0] + rows[1]:
        sys.exit(f"I was told {line}, and know {turn} to move on {rows}.")
    print(*(pit for pit in range(1, 7) if rows[player][pit]), file=chooser.stdin, flush=True)
    pit = int(chooser.stdout.readline())
    sow(player, pit)
    return pit


def number(allowed):
    line = sys.stdin.readline().rstrip("\n")
    if not (line.isdecimal() and allowed(int(line))):
        sys.exit(f"I was told {line!r}.")
    return int(line)


begun = False
for word in iter(sys.stdin.readline, ""):
    match word.rstrip("\n"):
        case "PING":
            print("PONG")
        case "GETNAME":
            print("strict")
        case "TIMEOUT":
            number(lambda ms: ms > 0)
            print("fine")
        case "SETPLAYER":
            if begun:
                sys.exit("A match began, and I was not started anew.")
            begun = True
            player = number(lambda seat: seat in (0, 1))
            print("OK")
        case "GETMOVE":
            print(move(sys.stdin.readline()))
        case "END" | "BADNAME":
            print("OK")
        case _:
            sys.exit(f"I was told {word!r}.")
    sys.stdout.flush()
