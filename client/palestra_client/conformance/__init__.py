"""Conformance checks for servers: one named check for each rule of PROTOCOL.md that can be observed from outside.

    failures = [result for result in run("ws://127.0.0.1:8765/play") if result.fault]

The server must admit guests. The checks share no code with palestra's client, so that a bug common to client and
server can't hide.
"""

# Importing each of the first three registers its rules in RULES; the imports follow the order of PROTOCOL.md.
from palestra_client.conformance import conversation, playing, watching
from palestra_client.conformance.peer import Peer
from palestra_client.conformance.suite import RULES, Place, Result, Rule, run

__all__ = ["RULES", "Peer", "Place", "Result", "Rule", "run"]
