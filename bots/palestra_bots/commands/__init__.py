"""The sub-commands of `palestra-bots`, a module each. They import what is heavy (Numba) when they run, not before."""
