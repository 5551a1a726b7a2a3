"""Palestra's wire protocol, version 1: messages, codecs, limits and close codes. PROTOCOL.md documents it.

Nothing is imported here: pydantic takes a third of a second, and the processes of an arena need only `limits`.
"""
