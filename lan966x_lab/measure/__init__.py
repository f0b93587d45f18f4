"""Published claims, counted work, timing."""

from lan966x_lab.measure import timing

__all__ = ["timing"]
