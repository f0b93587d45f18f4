"""What the benches are held to: a ratio, what was asked for, whether it was met. Printed, never asserted."""

__all__ = ["judge", "no_compiled_tier"]


def judge(
    what: str, found: float, *, at_least: float = 0, at_most: float = float("inf"), unit: str = ""
) -> None:
    """Say whether a ratio (or a number with a unit) is what was asked for."""
    asked = f"at least {at_least:g}" if at_least else f"at most {at_most:g}"
    verdict = "met" if at_least <= found <= at_most else "MISSED"
    print(f"  {what}: {found:.2f}{unit}, target {asked}{unit}: {verdict}")


def no_compiled_tier(what: str) -> None:
    """A target for code that the lab does not have: it was set for numba, and the lab stays with numpy."""
    print(f"  {what}: no compiled tier")
