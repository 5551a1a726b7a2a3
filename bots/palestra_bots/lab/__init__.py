"""Experiments with the searches: studies of node counts, drawn trees, duels."""
