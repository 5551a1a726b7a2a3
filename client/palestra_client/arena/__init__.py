"""Local matches between bots, under the server's referee and clock but without a server."""
