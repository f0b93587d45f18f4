"""The door: the one place through which the CPU reaches a device, so the one place that counts.

A register access over a bus is slow: the CPU waits for the answer of a read, and a write needs its turn. Here
every access costs virtual time (`Costs`) and is counted by register name; a read of the CPU's own clock and a
busy wait pass through the same door, because they spend the same CPU. With `Door.trace` set to a list, every
access is also written down, in order, with its time.

A driver that moves a frame word by word makes a thousand accesses, most of them foreseeable. The three
``…_run`` methods do many of them in one step, and only where the device promises that each single access
would have had the same result (`Accepts`, `Gives`, `Steady`) and no event is due on the way. What they count,
what they cost and what they leave behind is equal to the single accesses; with a trace, or with
``bulk=False``, the single accesses are what happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.limits import UnknownNameError, whole

WORD = 0xFFFFFFFF


class RegisterError(RuntimeError):
    """A register was used in a way that it does not allow."""


class UnknownRegisterError(UnknownNameError):
    """No register of that name; the message has the nearest known one."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__("register", name, known)


@dataclass(frozen=True, slots=True)
class Bits:
    """A field of a register: bits `high` down to `low`, as the data sheet writes them.

    >>> Bits(13, 10).put(5), Bits(13, 10).get(0x1400), hex(Bits(13, 10).mask)
    (5120, 5, '0x3c00')
    """

    high: int
    low: int

    @property
    def mask(self) -> int:
        """The field's bits where they stand."""
        return (1 << (self.high + 1)) - (1 << self.low)

    def put(self, value: int) -> int:
        """The value moved to where the field stands.

        Raises:
            ValueError: the value does not fit.
        """
        if not 0 <= value <= self.mask >> self.low:
            raise ValueError(f"{value} in bits {self.high}..{self.low}: allowed 0..{self.mask >> self.low}")
        return value << self.low

    def get(self, word: int) -> int:
        """The field's value in a register word."""
        return (word & self.mask) >> self.low


@dataclass(frozen=True, slots=True)
class Costs:
    """What the CPU pays, in ns of virtual time.

    The defaults are ours, chosen so that one word of a manually injected frame costs what seed 001 implies:
    read and write 0.30 µs, the clock read 0.27 µs more. They are a calibration, not a measurement.
    """

    read_ns: int = 200
    write_ns: int = 100
    ktime_ns: int = 270


class Access(NamedTuple):
    """One line of a trace. `kind` is R (read), W (write), K (CPU clock read) or D (delay; `value` in ns)."""

    time_ns: int
    kind: str
    name: str
    value: int

    def __str__(self) -> str:
        return f"{self.time_ns:>12} {self.kind} {self.name:<22} {self.value:#010x}"


class Accepts(Protocol):
    """A register that can tell how many writes are certain to find the device ready."""

    def room(self) -> int:
        """How many further writes are certain to be taken, however fast they come."""

    def take(self, words: Sequence[int], first_ns: int, step_ns: int) -> None:
        """Accept `words` (at most `room()`), written at `first_ns`, `first_ns + step_ns`, …"""


Gives = Callable[[int], Sequence[int]]
"""Up to so many reads at once; a word with a meaning of its own ends them; empty when nothing is certain."""
Steady = Callable[[int], float]
"""The time in ns until which every read returns this value (now: none does; infinity: until the CPU acts)."""


@dataclass(slots=True)
class _Register:
    value: int
    read: Callable[[], int] | None
    write: Callable[[int], None] | None
    accepts: Accepts | None
    gives: Gives | None
    steady: Steady | None


class Door:
    """Registers by name. A name carries its indexes: ``"QS_INJ_WR[0]"``.

    Attributes:
        reads, writes: how often each register was read and written.
        ktime_reads: how often the CPU read its own clock.
        delay_ns: how long the CPU waited without doing anything.
        trace: None, or the list that gets an `Access` for everything that passes.
        bulk: False makes every access a single one.
    """

    def __init__(self, clock: Clock, costs: Costs | None = None, *, bulk: bool = True) -> None:
        self.clock = clock
        self.costs = costs or Costs()
        self.bulk = bulk
        self.reads: Counter[str] = Counter()
        self.writes: Counter[str] = Counter()
        self.ktime_reads = 0
        self.delay_ns = 0
        self.trace: list[Access] | None = None
        self._registers: dict[str, _Register] = {}

    def add(
        self,
        name: str,
        *,
        value: int = 0,
        read: Callable[[], int] | None = None,
        write: Callable[[int], None] | None = None,
        accepts: Accepts | None = None,
        gives: Gives | None = None,
        steady: Steady | None = None,
    ) -> None:
        """Define a register. Without hooks it is a plain word that keeps what is written.

        `read` gives the value of a read, `write` is told the value of a write; both run at the time at which
        the access ends. `accepts`, `gives` and `steady` are what the device promises for
        accesses in bulk.
        """
        if name in self._registers:
            raise RegisterError(f"register {name!r} exists already: give every register a name of its own")
        self._registers[name] = _Register(value, read, write, accepts, gives, steady)

    def __contains__(self, name: object) -> bool:
        return name in self._registers

    def names(self) -> list[str]:
        """All register names, in the order of their definition."""
        return list(self._registers)

    def _find(self, name: str) -> _Register:
        try:
            return self._registers[name]
        except KeyError:
            raise UnknownRegisterError(name, self._registers) from None

    def peek(self, name: str) -> int:
        """The word a plain register holds, for the device's own use: not counted, no time."""
        return self._find(name).value

    def poke(self, name: str, value: int) -> None:
        """Set the word of a plain register from the device's side: not counted, no time."""
        self._find(name).value = value

    def read(self, name: str) -> int:
        """One read access."""
        register = self._find(name)
        self.clock.advance(self.costs.read_ns)
        self.reads[name] += 1
        value = register.value if register.read is None else register.read()
        if self.trace is not None:
            self.trace.append(Access(self.clock.now_ns, "R", name, value))
        return value

    def write(self, name: str, value: int) -> None:
        """One write access of a 32-bit word.

        Raises:
            RegisterError: the value is not a 32-bit word.
            TypeError: it is no whole number.
        """
        register = self._find(name)
        if value.__class__ is not int:
            value = whole(f"the word for {name}", value, 0, WORD)
        elif not 0 <= value <= WORD:
            raise RegisterError(f"{name} <- {value:#x}: a register holds 0..{WORD:#x}")
        self.clock.advance(self.costs.write_ns)
        self.writes[name] += 1
        if self.trace is not None:
            self.trace.append(Access(self.clock.now_ns, "W", name, value))
        register.value = value
        if register.write is not None:
            register.write(value)

    def modify(self, name: str, value: int, mask: int) -> None:
        """Read, replace the bits of `mask`, write: two accesses."""
        self.write(name, (self.read(name) & ~mask) | (value & mask))

    def ktime(self) -> int:
        """The CPU's clock in ns, as ``ktime_get()`` gives it. It is no register, but it costs."""
        self.clock.advance(self.costs.ktime_ns)
        self.ktime_reads += 1
        if self.trace is not None:
            self.trace.append(Access(self.clock.now_ns, "K", "ktime_get", self.clock.now_ns & WORD))
        return self.clock.now_ns

    def delay(self, ns: int) -> None:
        """Wait without doing anything, as ``udelay()`` does.

        Raises:
            ValueError: `ns` is negative.
        """
        ns = whole("ns", ns, 0)
        self.clock.advance(ns)
        self.delay_ns += ns
        if self.trace is not None:
            self.trace.append(Access(self.clock.now_ns, "D", "udelay", ns))

    # ---- many accesses in one step, equal to the single ones ----

    @property
    def _at_once(self) -> bool:
        return self.bulk and self.trace is None

    def _rounds(self, step_ns: int, limit: int) -> int:
        """How many rounds of `step_ns` end before the next event; at most `limit`."""
        due = self.clock.next_ns
        return limit if due is None else max(0, min(limit, (due - self.clock.now_ns - 1) // step_ns))

    def write_run(self, status: str, data: str, words: Sequence[int], start: int, *, ktime: bool) -> int:
        """Rounds of [read the clock;] read `status`; write the next word to `data`, from ``words[start]`` on.

        Only rounds whose status read is certain to say "ready" are made; returns how many (0: make a single
        one).
        """
        accepts = self._find(data).accepts
        if accepts is None or not self._at_once:
            return 0
        costs = self.costs
        step = costs.read_ns + costs.write_ns + (costs.ktime_ns if ktime else 0)
        n = self._rounds(step, min(len(words) - start, accepts.room()))
        if n <= 0:
            return 0
        accepts.take(words[start : start + n], self.clock.now_ns + step, step)
        self.reads[status] += n
        self.writes[data] += n
        if ktime:
            self.ktime_reads += n
        self.clock.advance(n * step)
        return n

    def read_run(self, name: str, n: int) -> Sequence[int]:
        """One to `n` reads of `name`; a word that has a meaning of its own (a marker) ends them."""
        gives = self._find(name).gives
        if gives is not None and self._at_once:
            words = gives(self._rounds(self.costs.read_ns, n))
            if words:
                self.reads[name] += len(words)
                self.clock.advance(len(words) * self.costs.read_ns)
                return words
        return [self.read(name)]

    def wait_run(self, status: str, value: int, delay_ns: int, deadline_ns: int) -> None:
        """Rounds of wait `delay_ns`; read `status`; read the clock, as long as each is certain to change
        nothing: `status` stays `value` and the clock does not pass `deadline_ns`.
        """
        steady = self._find(status).steady
        if steady is None or not self._at_once:
            return
        now, costs = self.clock.now_ns, self.costs
        step = delay_ns + costs.read_ns + costs.ktime_ns
        n = self._rounds(step, (deadline_ns - now) // step)
        until = steady(value)
        if until != float("inf"):
            n = min(n, (int(until) - now - 1) // step)
        if n > 0:
            self.reads[status] += n
            self.ktime_reads += n
            self.delay_ns += n * delay_ns
            self.clock.advance(n * step)
