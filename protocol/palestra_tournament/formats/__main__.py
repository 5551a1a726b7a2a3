"""`python -m palestra_tournament.formats` pairs a Swiss round: JSON on standard input, JSON on standard output."""

import json
import sys

from palestra_tournament.formats.pairing import Round, pair_round


def main() -> None:
    """Reads the fields of a `Round` and writes those of its `Pairs`."""
    json.dump(pair_round(Round(**json.load(sys.stdin)))._asdict(), sys.stdout)


if __name__ == "__main__":
    main()
