"""Bug hunt, polling: wait for a register, wait for a word, and NAPI's poll.

What is polled comes first and is right in every version. Then the right functions, faulty versions of them,
and second right versions at the end.
"""

from .hunt import Hunt, Mutant, Subject

__all__ = [
    "NOT_READY",
    "Device",
    "Fifo",
    "Ring",
    "SleepingError",
    "hunt",
    "poll",
    "read_word",
    "wait_ready",
]

NOT_READY = 0x0700_0080
"""What a read of the extraction queue gives while there is no word."""
LOOK_NS, PAUSE_NS, PATIENCE = 200, 10_000, 100


class SleepingError(RuntimeError):
    """Somebody sleeps who holds a spinlock; the kernel calls that "sleeping while atomic"."""


class Device:
    """Something to wait for, with a clock beside it; time passes only when you look, read the clock, or wait.

    Args:
        ready_at_ns: from when on it is ready; a look takes 200 ns.
        stolen_ns: so long the CPU is taken away from you during your first wait.
        locked: you hold a spinlock while you wait.
    """

    def __init__(self, ready_at_ns: int, stolen_ns: int = 0, *, locked: bool = False) -> None:
        self.ready_at_ns, self.locked = ready_at_ns, locked
        self._stolen_ns, self._now_ns = stolen_ns, 0

    def ready(self) -> bool:
        """Look at the status register."""
        self._now_ns += LOOK_NS
        return self._now_ns >= self.ready_at_ns

    def now_ns(self) -> int:
        """Read the clock."""
        return self._now_ns

    def delay(self, ns: int) -> None:
        """Wait, and keep the CPU busy."""
        self._now_ns += ns + self._stolen_ns
        self._stolen_ns = 0

    def sleep(self, ns: int) -> None:
        """Wait, and give the CPU to others.

        Raises:
            SleepingError: you hold a spinlock.
        """
        if self.locked:
            raise SleepingError("sleeping while a spinlock is held")
        self.delay(ns)

    def __repr__(self) -> str:
        return "device"


class Fifo:
    """The extraction queue: what each read gives, in order; NOT_READY for ever at the end."""

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    def read(self) -> int:
        """The next word, or NOT_READY."""
        return self._words.pop(0) if self._words else NOT_READY

    def __repr__(self) -> str:
        return "fifo"


class Ring:
    """A receive ring as NAPI's poll sees it, with an engine that fills it.

    ``running``: the engine fills slots; it stops when all are full. ``delivered``: what has reached the
    stack. ``completed``: how often NAPI was told that the work is done. ``stranded``: frames that had not
    reached the stack when NAPI was told so.

    Args:
        frames: what waits; as many frames as slots stop the engine.
        slots: how many there are.
    """

    def __init__(self, *frames: str, slots: int = 8) -> None:
        self._frames, self._slots = list(frames), slots
        self._queue: list[str] = []
        self.running = len(frames) < slots
        self.delivered: list[str] = []
        self.stranded: list[str] = []
        self.completed = 0

    def waiting(self) -> bool:
        """Whether a frame waits."""
        return bool(self._frames)

    def take(self) -> str:
        """The next frame; its slot is free again."""
        return self._frames.pop(0)

    def up(self, frame: str) -> None:
        """Hand a frame up: it is queued for the stack."""
        self._queue.append(frame)

    def flush(self) -> None:
        """Deliver what is queued."""
        self.delivered += self._queue
        self._queue = []

    def restart(self) -> None:
        """Start the engine, if it has stopped and there is a free slot."""
        self.running = len(self._frames) < self._slots

    def complete(self) -> None:
        """Tell NAPI that the work is done: no poll until the next interrupt."""
        self.completed += 1
        self.stranded += self._queue

    def __repr__(self) -> str:
        return "ring"


def wait_ready(device: Device, limit_ns: int) -> bool:
    """Wait until ``device`` is ready, for at most ``limit_ns``; True if it is ready when the waiting ends.

    May be called with a spinlock held.
    """
    end = device.now_ns() + limit_ns
    while device.now_ns() < end:
        if device.ready():
            return True
        device.delay(PAUSE_NS)
    return device.ready()


def read_word(fifo: Fifo) -> int:
    """The next word of the frame; NOT_READY (0x07000080) says that there is none yet: read again.

    Raises:
        TimeoutError: 100 reads gave no word.
    """
    for _ in range(PATIENCE):
        word = fifo.read()
        if word != NOT_READY:
            return word
    raise TimeoutError(f"{PATIENCE} reads gave no word")


def poll(ring: Ring, budget: int) -> int:
    """NAPI's poll: hand frames up while there are any, at most ``budget``; returns how many there were.

    Fewer than ``budget`` means that the work is done: the poll tells NAPI so by ``ring.complete()``, once.
    Who returns the whole budget is called again, and does not complete. By the time when the poll completes
    or returns, every frame has reached the stack. When it returns, the engine runs if a slot is free.
    """
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())
        done += 1
    ring.restart()
    ring.flush()
    if done < budget:
        ring.complete()
    return done


# Faulty versions


def _wait_ready_d1(device: Device, limit_ns: int) -> bool:
    end = device.now_ns() + limit_ns
    while device.now_ns() < end:
        if device.ready():
            return True
        device.delay(PAUSE_NS)
    return False


def _wait_ready_d2(device: Device, limit_ns: int) -> bool:
    end = device.now_ns() + limit_ns
    while device.now_ns() < end:
        if device.ready():
            return True
        device.sleep(PAUSE_NS)
    return device.ready()


def _read_word_d3(fifo: Fifo) -> int:
    word = fifo.read()
    for _ in range(PATIENCE):
        if word != NOT_READY or fifo.read() != NOT_READY:
            return word
    raise TimeoutError(f"{PATIENCE} reads gave no word")


def _poll_c1(ring: Ring, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())
        done += 1
    ring.restart()
    ring.flush()
    if done < budget:
        ring.complete()
    return 0


def _poll_c2(ring: Ring, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())
        done += 1
    ring.restart()
    ring.flush()
    ring.complete()
    return done


def _poll_c3(ring: Ring, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())
        done += 1
    ring.flush()
    if done < budget:
        ring.complete()
    return done


def _poll_c17(ring: Ring, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())
        done += 1
    ring.restart()
    if done < budget:
        ring.complete()
    ring.flush()
    return done


# The same, written another way


def _wait_ready_again(device: Device, limit_ns: int) -> bool:
    begin = device.now_ns()
    while not (ready := device.ready()) and device.now_ns() - begin < limit_ns:
        device.delay(PAUSE_NS)
    return ready


def _read_word_again(fifo: Fifo) -> int:
    words = (fifo.read() for _ in range(PATIENCE))
    for word in (word for word in words if word != NOT_READY):
        return word
    raise TimeoutError


def _poll_again(ring: Ring, budget: int) -> int:
    left = budget
    while left and ring.waiting():
        ring.up(ring.take())
        ring.flush()
        left -= 1
    if left:
        ring.complete()
    if not ring.running:
        ring.restart()
    return budget - left


_LINUX = "https://git.kernel.org/torvalds/c/"
_TREE = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree"

hunt = Hunt(
    "test_polling",
    "polling",
    [
        Subject(
            wait_ready,
            _wait_ready_again,
            [
                Mutant(
                    "D1",
                    _wait_ready_d1,
                    "The loop looks, an interrupt takes the CPU away, the time is over, and the loop gives "
                    "up. The device has been ready for long. A reviewer saw it in the first version of the "
                    "patch of notebook 04.",
                    "on a busy machine, devices that are ready are given up.",
                    "the patch as merged, Linux fb9eb027fbc9",
                    f"{_LINUX}fb9eb027fbc90e21cbda18379d85f8603e1f28b9",
                ),
                Mutant(
                    "D2",
                    _wait_ready_d2,
                    "The LAN966x driver waited with a helper that sleeps, on the way of a frame that is sent "
                    "with a spinlock held. The fix took the helper that keeps the CPU busy.",
                    "the kernel complains about sleep in the wrong place, as soon as somebody has to wait.",
                    "the switch's driver, lan966x_main.c",
                    f"{_TREE}/drivers/net/ethernet/microchip/lan966x/lan966x_main.c",
                ),
            ],
        ),
        Subject(
            read_word,
            _read_word_again,
            [
                Mutant(
                    "D3",
                    _read_word_d3,
                    "The helper waits until a word comes, and returns the word that it had before it waited: "
                    "the marker. By our reading of the LAN966x driver; not confirmed upstream.",
                    "now and then a frame has a strange word in the middle, always the same one.",
                    "lan966x_main.c",
                    f"{_TREE}/drivers/net/ethernet/microchip/lan966x/lan966x_main.c",
                ),
            ],
        ),
        Subject(
            poll,
            _poll_again,
            [
                Mutant(
                    "C1",
                    _poll_c1,
                    "The driver of the BCM4908 did not count what it received, and returned 0 each time.",
                    "NAPI is told that there was no work, under full load.",
                    "Linux 4d9274cee40b",
                    f"{_LINUX}4d9274cee40b6a20dd6148c6c81c6733c2678cbc",
                ),
                Mutant(
                    "C2",
                    _poll_c2,
                    "The poll completed although it had used its whole budget. In the open-nic driver "
                    "reception stalled above 2 Gbit/s.",
                    "at high speed, reception stalls although frames wait.",
                    "open-nic-driver issue 69",
                    "https://github.com/Xilinx/open-nic-driver/issues/69",
                ),
                Mutant(
                    "C3",
                    _poll_c3,
                    "An engine that has filled every slot stops, and looks again only when it is told to. "
                    "Zephyr's driver emptied the ring, and told it nothing.",
                    "after one burst, nothing is received any more.",
                    "Zephyr issue 89435",
                    "https://github.com/zephyrproject-rtos/zephyr/issues/89435",
                ),
                Mutant(
                    "C17",
                    _poll_c17,
                    "Redirected frames were flushed after NAPI had been told that the work is done. From "
                    "then on another CPU may poll, and the frames may sit there.",
                    "the last frames of a burst may have to wait for the next burst.",
                    "Linux 12b5717990c8",
                    f"{_LINUX}12b5717990c81fc2f6f2aa9d53d960b916478d4f",
                ),
            ],
        ),
    ],
    tools={"Device": Device, "Fifo": Fifo, "Ring": Ring, "NOT_READY": NOT_READY},
)
