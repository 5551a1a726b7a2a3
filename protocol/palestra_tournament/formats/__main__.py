"""`python -m palestra_tournament.formats`: pairs the Swiss round that stands on standard input, as JSON both ways."""

import json
import sys

from palestra_tournament.formats.pairing import Round, pair_round


def main() -> None:
    """Fields as those of `Round` and `Pairs`."""
    json.dump(pair_round(Round(**json.load(sys.stdin)))._asdict(), sys.stdout)


if __name__ == "__main__":
    main()
