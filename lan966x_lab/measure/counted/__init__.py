"""Counted by running the lab's code against its devices: exact, and the same on every computer."""
