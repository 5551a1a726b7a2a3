"""Bots against each other at home: the server's referee and clock, without a server."""
