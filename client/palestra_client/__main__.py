"""`python -m palestra_client`: the command `palestra` where the folder of scripts is not on the search path."""

from palestra_client.cli import main

if __name__ == "__main__":
    main()
