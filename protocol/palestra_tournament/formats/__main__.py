"""`python -m palestra_tournament.formats` pairs Swiss rounds: one line of JSON each on standard input and output."""

import json
import sys

from palestra_tournament.formats.pairing import Round, pair_round


def main() -> None:
    """Reads the fields of a `Round` per line, and writes those of its `Pairs`."""
    for line in sys.stdin:
        print(json.dumps(pair_round(Round(**json.loads(line)))._asdict()), flush=True)


if __name__ == "__main__":
    main()
