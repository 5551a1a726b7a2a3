"""`python -m palestra_tournament.formats` pairs Swiss rounds: a line of JSON each on standard input and output."""

import json
import sys

from palestra_tournament.formats.pairing import Round, pair_round


def main() -> None:
    """Reads the fields of a `Round` a line, and writes those of its `Pairs`."""
    for line in sys.stdin:
        print(json.dumps(pair_round(Round(**json.loads(line)))._asdict()), flush=True)


if __name__ == "__main__":
    main()
