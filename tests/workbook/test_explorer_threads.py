"""Changes that arrive in two threads: JupyterLab's subshells deliver them so."""

from threading import Event, Thread

from lan966x_lab.workbook import Explorer, Picture, Svg, number


class Pair(Explorer):
    """Draws two numbers; between reading the first and the second it can be held up."""

    def __init__(self) -> None:
        self.first, self.second = number("First", 0, 0, 9), number("Second", 0, 0, 9)
        self.held, self.go = Event(), Event()
        self.go.set()
        super().__init__("Two numbers", [self.first, self.second])

    def draw(self) -> Picture:
        first = self.first.value
        self.held.set()
        assert self.go.wait(10)
        return Picture(Svg(10, 10, "pair"), f"{first} and {self.second.value}")


def test_a_change_that_comes_while_another_is_drawn_is_drawn_too() -> None:
    pair = Pair()
    pair.held.clear()
    pair.go.clear()
    one = Thread(target=lambda: setattr(pair.second, "value", 5))
    one.start()
    assert pair.held.wait(10)  # it has read the first number
    two = Thread(target=lambda: setattr(pair.first, "value", 7))
    two.start()
    two.join(0.2)  # it waits, or it would have been lost
    pair.go.set()
    one.join(10)
    two.join(10)
    assert pair.status == "7 and 5"
