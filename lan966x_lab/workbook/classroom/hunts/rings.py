"""Bug hunt, rings: a receive ring with buffers that are lent to a device, and a transmit ring.

The device's half comes first and is right in every version. Then the right driver, faulty versions of it, and
second right versions at the end.
"""

from dataclasses import dataclass

from .hunt import Hunt, Mutant, Subject

__all__ = ["PORTS", "ROOM", "SHORTEST", "DmaError", "RxRing", "Slot", "TxRing", "hunt"]

ROOM = 2048
"""Bytes of a receive buffer."""
SHORTEST = 60
"""Bytes of the shortest good frame."""
PORTS = 8
"""Front ports of the switch: 0 to 7."""
REPORT = 0xDEAD
"""What the device writes over the address when it has filled a slot."""

Received = list[tuple[int, bytes]]


class DmaError(RuntimeError):
    """The device was about to write to memory that is not mapped: on real hardware, somebody else's."""


@dataclass
class Slot:
    """One place in the receive ring: whose turn, which buffer, and what the device put there."""

    own: bool = False
    address: int = 0
    port: int = 0
    frame: bytes = b""


class _Device:
    """The half of a receive ring that is not the driver's: the device, the memory, the mappings.

    ``mapped`` says how many bytes at which address the device may write to. ``short_of_memory`` makes the
    next so many ``map`` calls fail.
    """

    def __init__(self, slots: int = 4) -> None:
        self.slots = [Slot() for _ in range(slots)]
        self.mapped: dict[int, int] = {}
        self.short_of_memory = 0
        self._next_address, self._position = 0x1000, 0

    def arrive(self, frame: bytes, port: int = 0) -> bool:
        """A frame comes in: the device writes it into its next slot. False: that is not free, it is lost."""
        slot = self.slots[self._position]
        if not slot.own:
            return False
        if slot.address not in self.mapped:
            raise DmaError(f"the device writes to {slot.address:#x}, which is not mapped")
        slot.own, slot.address, slot.port, slot.frame = False, REPORT, port, frame
        self._position = (self._position + 1) % len(self.slots)
        return True

    def _restart(self) -> None:
        """The device begins at slot 0 again."""
        self._position = 0

    def _map(self, length: int = ROOM) -> int | None:
        """Lend a new buffer to the device: its address, or None when memory is short."""
        if self.short_of_memory:
            self.short_of_memory -= 1
            return None
        address, self._next_address = self._next_address, self._next_address + ROOM
        self.mapped[address] = length
        return address

    def _unmap(self, address: int, length: int = ROOM) -> None:
        """Take ``length`` bytes back from the device; what is left stays lent."""
        left = self.mapped.pop(address) - length
        if left:
            self.mapped[address] = left


class RxRing(_Device):
    """A receive ring: the driver's half, and the device beside it.

    While the ring is open, every slot has a buffer. ``mapped`` has an entry for each buffer that the device
    may write to: one for each slot, none when the ring is closed. ``received[port]`` counts what was handed
    up. ``short_of_memory = n`` makes the next n requests for a buffer fail.
    """

    def __init__(self, slots: int = 4) -> None:
        super().__init__(slots)
        self.received = [0] * PORTS
        self._index = 0
        self._buffers: list[int | None] = []

    def open(self) -> None:
        """Lend the device a buffer for every slot; both halves begin at slot 0, also after a ``close``."""
        self._restart()
        self._index = 0
        self._buffers = [self._map() for _ in self.slots]
        for index in range(len(self.slots)):
            self._arm(index)

    def close(self) -> None:
        """Take every buffer back."""
        for slot, buffer in zip(self.slots, self._buffers, strict=True):
            slot.own = False
            if buffer is not None:
                self._unmap(buffer)

    def poll(self) -> Received:
        """Hand up what has arrived: (port, frame) pairs, first come first; the device gets the slots again.

        Dropped, and not handed up: a frame of less than 60 bytes, one from a port other than 0 to 7, and one
        in whose place no new buffer can be had.
        """
        up: Received = []
        for _ in self.slots:
            slot = self.slots[self._index]
            if slot.own:
                break
            if self._good(slot):
                up += self._keep(self._index)
            else:
                self._drop(self._index)
            self._index = (self._index + 1) % len(self.slots)
        return up

    def _good(self, slot: Slot) -> bool:
        return len(slot.frame) >= SHORTEST and slot.port < PORTS

    def _keep(self, index: int) -> Received:
        slot, old, new = self.slots[index], self._buffers[index], self._map()
        if new is None or old is None:
            self._drop(index)
            return []
        self._unmap(old)
        self._buffers[index] = new
        self._arm(index)
        self.received[slot.port] += 1
        return [(slot.port, slot.frame)]

    def _drop(self, index: int) -> None:
        self._arm(index)

    def _arm(self, index: int) -> None:
        slot, buffer = self.slots[index], self._buffers[index]
        if buffer is not None:
            slot.address, slot.own = buffer, True


class TxRing:
    """A transmit ring; the device sends at once what it finds there.

    ``slots`` frames can be on their way at the same time, however many there were before.
    """

    def __init__(self, slots: int = 4) -> None:
        self._slots: list[bytes | None] = [None] * slots
        self._put = self._get = 0

    def send(self, frame: bytes) -> bool:
        """Put a frame into the next slot; False if that is not free."""
        if self._slots[self._put] is not None:
            return False
        self._slots[self._put] = frame
        self._put = (self._put + 1) % len(self._slots)
        return True

    def clean(self) -> list[bytes]:
        """The frames that were sent since the last time, in order; their slots are free again."""
        sent = []
        while (frame := self._slots[self._get]) is not None:
            sent.append(frame)
            self._slots[self._get] = None
            self._get = (self._get + 1) % len(self._slots)
        return sent


# Faulty versions


class _RxRingC4(RxRing):
    def _drop(self, index: int) -> None:
        self.slots[index].own = True


class _TxRingC9(TxRing):
    def send(self, frame: bytes) -> bool:
        if self._slots[self._put] is not None:
            return False
        self._slots[self._put] = frame
        self._put = (self._put + 1) % (len(self._slots) - 1)
        return True


class _RxRingC10(RxRing):
    def open(self) -> None:
        self._restart()
        self._buffers = [self._map() for _ in self.slots]
        for index in range(len(self.slots)):
            self._arm(index)


class _RxRingC11(RxRing):
    def _keep(self, index: int) -> Received:
        slot, old, new = self.slots[index], self._buffers[index], self._map()
        if new is None or old is None:
            self._drop(index)
            return []
        self._unmap(old, len(slot.frame))
        self._buffers[index] = new
        self._arm(index)
        self.received[slot.port] += 1
        return [(slot.port, slot.frame)]


class _RxRingC12(RxRing):
    def _drop(self, index: int) -> None:
        self._buffers[index] = self._map()
        self._arm(index)


class _RxRingC18(RxRing):
    def _good(self, slot: Slot) -> bool:
        return len(slot.frame) >= SHORTEST


class _RxRingC19(RxRing):
    def _keep(self, index: int) -> Received:
        slot, old, new = self.slots[index], self._buffers[index], self._map()
        if new is None or old is None:
            return []
        self._unmap(old)
        self._buffers[index] = new
        self._arm(index)
        self.received[slot.port] += 1
        return [(slot.port, slot.frame)]


# The same, written another way


class _RxRingAgain(_Device):
    def __init__(self, slots: int = 4) -> None:
        super().__init__(slots)
        self.received = [0] * PORTS
        self._polled, self._lent = 0, [0] * slots

    def open(self) -> None:
        self._restart()
        self._polled = 0
        for at, slot in enumerate(self.slots):
            self._lent[at] = self._map() or 0
            slot.address, slot.own = self._lent[at], self._lent[at] > 0

    def close(self) -> None:
        self.mapped.clear()
        for slot in self.slots:
            slot.own = False

    def poll(self) -> Received:
        count, up = len(self.slots), []
        full = [at % count for at in range(self._polled, self._polled + count)]
        for at in full:
            slot = self.slots[at]
            if slot.own:
                break
            self._polled += 1
            if len(slot.frame) >= SHORTEST and slot.port in range(PORTS) and (fresh := self._map()):
                self._unmap(self._lent[at])
                self._lent[at] = fresh
                self.received[slot.port] += 1
                up.append((slot.port, slot.frame))
            slot.own, slot.address = True, self._lent[at]
        return up


class _TxRingAgain:
    def __init__(self, slots: int = 4) -> None:
        self._room, self._on_the_way = slots, list[bytes]()

    def send(self, frame: bytes) -> bool:
        if len(self._on_the_way) == self._room:
            return False
        self._on_the_way.append(frame)
        return True

    def clean(self) -> list[bytes]:
        sent, self._on_the_way = self._on_the_way, []
        return sent


_LINUX = "https://git.kernel.org/torvalds/c/"
_TREE = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree"
_BCM4908 = f"{_TREE}/drivers/net/ethernet/broadcom/bcm4908_enet.c"

hunt = Hunt(
    "test_rings",
    "rings",
    [
        Subject(
            RxRing,
            _RxRingAgain,
            [
                Mutant(
                    "C4",
                    _RxRingC4,
                    "The device reports into the word that held the address. The way of a good frame writes "
                    "the address anew; four ways of a bad one did not, and left a slot that points nowhere.",
                    "some time after a damaged frame, the device writes where it must not.",
                    "Zephyr issue 119378",
                    "https://github.com/zephyrproject-rtos/zephyr/issues/119378",
                ),
                Mutant(
                    "C10",
                    _RxRingC10,
                    "Down and up again: the device begins at slot 0, and the driver where it was. Each waits "
                    "for the other.",
                    "after the interface was down and up, it receives nothing.",
                    "Linux ddeacc4f6494",
                    f"{_LINUX}ddeacc4f6494e07cbb6f033627926623f3e7a9d0",
                ),
                Mutant(
                    "C11",
                    _RxRingC11,
                    "A whole page was mapped, and as much as the frame was long was unmapped. In the LAN966x "
                    "driver the unmap also undid what the CPU had written beside the frame.",
                    "every frame is right, and pieces of memory stay lent to the device.",
                    "Linux fc57062f98b0",
                    f"{_LINUX}fc57062f98b0b0ae52bc584d8fd5ac77c50df607",
                ),
                Mutant(
                    "C12",
                    _RxRingC12,
                    "A bad frame's buffer was given up and never unmapped. By our reading of the patch of "
                    "notebook 06; a sibling, the same leak with the buffer itself, was found and mended "
                    "upstream.",
                    "damaged frames eat up the mappings, one by one.",
                    "the sibling, Linux 4dc7f09b8bec",
                    f"{_LINUX}4dc7f09b8becfa35a55430a49d95acf19f996e6b",
                ),
                Mutant(
                    "C18",
                    _RxRingC18,
                    "The number of the port came from the hardware and was used as an index. The driver "
                    "printed a warning when it was too large, and went on.",
                    "an odd header from the hardware crashes the driver.",
                    "Linux 13a9d08c2962",
                    f"{_LINUX}13a9d08c296228d18289de60b83792c586e1d073",
                ),
                Mutant(
                    "C19",
                    _RxRingC19,
                    "When there is no memory, the slot is left as it is, and the driver goes on behind it. "
                    "The ring is one slot shorter for good. By our reading of the LAN966x driver; not "
                    "confirmed upstream.",
                    "after a moment without memory, reception stops for good.",
                    "lan966x_fdma.c",
                    f"{_TREE}/drivers/net/ethernet/microchip/lan966x/lan966x_fdma.c",
                ),
            ],
        ),
        Subject(
            TxRing,
            _TxRingAgain,
            [
                Mutant(
                    "C9",
                    _TxRingC9,
                    "Who fills goes round after 199 slots, who cleans after 200, and so waits at a slot that "
                    "nobody ever fills. By our reading of the BCM4908 driver; not confirmed upstream.",
                    "frames are sent, and after a while the ring says that it is full for ever.",
                    "bcm4908_enet.c",
                    _BCM4908,
                ),
            ],
        ),
    ],
)
