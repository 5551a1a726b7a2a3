"""Runs `palestra-server`."""

from palestra_server.cli import main

if __name__ == "__main__":
    main()
