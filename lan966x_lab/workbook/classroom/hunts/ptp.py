"""Bug hunt, PTP: times of arrival and departure, and the kind of a message.

Right versions first, faulty ones below, second right versions at the end.
"""

from .hunt import Hunt, Mutant, Subject

__all__ = ["TxTimes", "drain", "elapsed_ns", "hunt", "message_type", "rx_time"]

Entry = tuple[bool, int, int]


def rx_time(tod: tuple[int, int], frame_ns: int) -> tuple[int, int]:
    """When a frame arrived, as (seconds, nanoseconds).

    Args:
        tod: the clock, (seconds, nanoseconds), read less than one second after the frame arrived.
        frame_ns: the nanoseconds that the hardware noted when it arrived, 0 to 999,999,999.
    """
    seconds = tod[0]
    if tod[1] < frame_ns:
        seconds -= 1
    return seconds, frame_ns


def message_type(message: bytes) -> int:
    """The type of a PTP version 2 message: the low four bits of its byte 0.

    0 Sync, 1 Delay_Req, 8 Follow_Up, 9 Delay_Resp, 0xd Management, and others. Byte 32, "control", is left
    over from version 1; whoever receives it must not rely on it. ``message`` has 34 bytes or more.
    """
    return message[0] & 0x0F


def elapsed_ns(ticks: int) -> int:
    """Nanoseconds, rounded down, in ``ticks`` periods of the LAN966x clock, which runs at 165.625 MHz.

    The hardware adds a fixed-point number each time: 5 bits before the point, 59 behind it.
    """
    return ticks * 0x304D_4873_ECAD_E305 >> 59


class TxTimes:
    """The messages that wait for their time of departure, known by sequence number.

    At most ``places`` wait at once. Who has waited for more than ``patience_ns`` has lost its time for good:
    at the next request its place is free again, and a time that comes later is dropped.
    """

    def __init__(self, places: int = 4, patience_ns: int = 10_000_000) -> None:
        self._free, self._patience_ns = places, patience_ns
        self._waiting: dict[int, int] = {}
        self._times: dict[int, int] = {}

    def request(self, sequence: int, now_ns: int) -> bool:
        """Message ``sequence`` leaves and wants its time. False: there is no place, and it gets none."""
        for old in [old for old, since in self._waiting.items() if now_ns - since > self._patience_ns]:
            self._give_up(old)
        if self._free == 0:
            return False
        self._free -= 1
        self._waiting[sequence] = now_ns
        return True

    def arrived(self, sequence: int, time_ns: int) -> None:
        """The hardware reports when ``sequence`` left. Nothing happens if that message does not wait."""
        if sequence in self._waiting:
            del self._waiting[sequence]
            self._free += 1
            self._times[sequence] = time_ns

    def time_of(self, sequence: int) -> int | None:
        """When ``sequence`` left, or None if that is not known."""
        return self._times.get(sequence)

    def _give_up(self, sequence: int) -> None:
        del self._waiting[sequence]
        self._free += 1


def drain(fifo: list[Entry], budget: int = 512) -> list[tuple[int, int]]:
    """Take entries out of the hardware's queue of departure times, first come first, at most ``budget``.

    An entry is (valid, id, nanoseconds). Returns (id, nanoseconds) of the valid ones; the others are taken
    out, too, and dropped. What was taken is gone from ``fifo``, and the rest stays.
    """
    times = []
    for _ in range(min(budget, len(fifo))):
        valid, ident, ns = fifo[0]
        del fifo[0]
        if not valid:
            continue
        times.append((ident, ns))
    return times


# Faulty versions


def _rx_time_b4(tod: tuple[int, int], frame_ns: int) -> tuple[int, int]:
    seconds = tod[0]
    return seconds, frame_ns


_CONTROL = {0: 0x0, 1: 0x1, 2: 0x8, 3: 0x9, 4: 0xD}


def _message_type_b7(message: bytes) -> int:
    return _CONTROL.get(message[32], message[0] & 0x0F)


def _elapsed_ns_b6(ticks: int) -> int:
    return ticks * 0x304D_2DF1_0000_0000 >> 59


class _TxTimesB1(TxTimes):
    def arrived(self, sequence: int, time_ns: int) -> None:
        for sequence in self._waiting:
            del self._waiting[sequence]
            self._free += 1
            self._times[sequence] = time_ns
            break


class _TxTimesB2(TxTimes):
    def request(self, sequence: int, now_ns: int) -> bool:
        if self._free == 0:
            return False
        self._free -= 1
        self._waiting[sequence] = now_ns
        return True


class _TxTimesB3(TxTimes):
    def _give_up(self, sequence: int) -> None:
        del self._waiting[sequence]


def _drain_b10(fifo: list[Entry], budget: int = 512) -> list[tuple[int, int]]:
    times = []
    for _ in range(min(budget, len(fifo))):
        valid, ident, ns = fifo[0]
        if not valid:
            continue
        del fifo[0]
        times.append((ident, ns))
    return times


# The same, written another way


def _rx_time_again(tod: tuple[int, int], frame_ns: int) -> tuple[int, int]:
    now = tod[0] * 10**9 + tod[1]
    return divmod(now - (now - frame_ns) % 10**9, 10**9)


def _message_type_again(message: bytes) -> int:
    return message[0] % 16


def _elapsed_ns_again(ticks: int) -> int:
    return ticks * 3_480_517_749_756_519_173 // 2**59


class _TxTimesAgain:
    def __init__(self, places: int = 4, patience_ns: int = 10_000_000) -> None:
        self._places, self._patience_ns = places, patience_ns
        self._waits: list[tuple[int, int]] = []
        self._known: list[tuple[int, int]] = []

    def request(self, sequence: int, now_ns: int) -> bool:
        self._waits = [(one, since) for one, since in self._waits if since + self._patience_ns >= now_ns]
        if len(self._waits) >= self._places:
            return False
        self._waits.append((sequence, now_ns))
        return True

    def arrived(self, sequence: int, time_ns: int) -> None:
        left = [wait for wait in self._waits if wait[0] != sequence]
        if len(left) < len(self._waits):
            self._waits = left
            self._known.append((sequence, time_ns))

    def time_of(self, sequence: int) -> int | None:
        return next((time for one, time in reversed(self._known) if one == sequence), None)


def _drain_again(fifo: list[Entry], budget: int = 512) -> list[tuple[int, int]]:
    taken, fifo[:] = fifo[:budget], fifo[budget:]
    return [(ident, ns) for valid, ident, ns in taken if valid]


_LINUX = "https://git.kernel.org/torvalds/c/"
_TREE = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree"
_PTP_C = f"{_TREE}/drivers/net/ethernet/microchip/lan966x/lan966x_ptp.c"

hunt = Hunt(
    "test_ptp",
    "PTP",
    [
        Subject(
            rx_time,
            _rx_time_again,
            [
                Mutant(
                    "B4",
                    _rx_time_b4,
                    "A frame brings its nanoseconds along, and the driver adds the clock's seconds. If the "
                    "clock has passed into the next second in between, one second must be borrowed. The "
                    "LAN966x driver does; this version forgets it.",
                    "now and then a frame arrives one second in the future.",
                    "lan966x_ptp.c, which has it right",
                    _PTP_C,
                ),
            ],
        ),
        Subject(
            message_type,
            _message_type_again,
            [
                Mutant(
                    "B7",
                    _message_type_b7,
                    "Version 1 told messages apart by the control byte. Senders of version 2.1 write 0 into "
                    "it, whatever they send, and 0 used to mean Sync.",
                    "with a newer grandmaster, every message is taken for a Sync.",
                    "ptp_classify.h, which has it right",
                    f"{_TREE}/include/linux/ptp_classify.h",
                ),
            ],
        ),
        Subject(
            elapsed_ns,
            _elapsed_ns_again,
            [
                Mutant(
                    "B6",
                    _elapsed_ns_b6,
                    "The first driver had a constant that is too small by 8 millionths. Its clock lost 0.7 "
                    "seconds a day, and a clock that is the grandmaster makes everyone lose them.",
                    "the whole network agrees on the time, and all of it is late by tomorrow.",
                    "lan966x_ptp.c, with the constant of today",
                    _PTP_C,
                ),
            ],
        ),
        Subject(
            TxTimes,
            _TxTimesAgain,
            [
                Mutant(
                    "B1",
                    _TxTimesB1,
                    "The time of one message came so late that nobody waited for it any more. It was kept, "
                    "and given to the next message.",
                    "after one hiccup, messages carry the time of the one before.",
                    "OpenAvnu issue 728",
                    "https://github.com/Avnu/OpenAvnu/issues/728",
                ),
                Mutant(
                    "B2",
                    _TxTimesB2,
                    "Places whose time never comes were never given back. An Ocelot switch has 63; after as "
                    "many losses no message got its time.",
                    "after some days with a few lost messages, no message gets its time.",
                    "Linux b454abfab525",
                    f"{_LINUX}b454abfab52543c44b581afc807b9f97fc1e7a3a",
                ),
                Mutant(
                    "B3",
                    _TxTimesB3,
                    "Old requests are thrown away, and the counter of requests is not told. In the LAN966x "
                    "driver every request is refused after 512 losses. By our reading; not confirmed "
                    "upstream.",
                    "old requests are thrown away, and still new ones are refused one day.",
                    "lan966x_ptp.c",
                    _PTP_C,
                ),
            ],
        ),
        Subject(
            drain,
            _drain_again,
            [
                Mutant(
                    "B10",
                    _drain_b10,
                    "The loop skips an entry without a valid time, and does not take it out: it looks at the "
                    "same entry 512 times, and leaves. By our reading of the LAN966x driver; not confirmed "
                    "upstream.",
                    "one odd entry, and times stop coming.",
                    "lan966x_ptp.c",
                    _PTP_C,
                ),
            ],
        ),
    ],
)
