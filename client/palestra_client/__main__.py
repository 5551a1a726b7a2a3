"""`python -m palestra_client` runs `palestra` where the scripts folder is not on the search path."""

from palestra_client.cli import main

if __name__ == "__main__":
    main()
