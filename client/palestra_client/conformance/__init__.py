"""Does a server keep what PROTOCOL.md says? One named check for each rule that can be seen from outside.

    failures = [result for result in run("ws://127.0.0.1:8765/play") if result.fault]

The server must let guests in. Nothing of palestra's own client is used, so that a fault of the two together shows.
"""

# Each of the first three adds its rules to RULES when it is imported, in the order of PROTOCOL.md.
from palestra_client.conformance import conversation, playing, watching  # noqa: F401
from palestra_client.conformance.suite import RULES, Place, Result, Rule, run

__all__ = ["RULES", "Place", "Result", "Rule", "run"]
