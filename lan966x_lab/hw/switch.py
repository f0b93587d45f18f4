"""The switch core: from an injection header, or from a port of arrival, to the ports of departure.

An injected frame either skips the analyzer (BYPASS: DSTS is taken as given) or goes through it as if it had
arrived at the CPU port or, masqueraded, at MASQ_PORT. The analyzer of the model knows source masks
(``ANA_PGID[80 + port]``) and nothing else: no address is ever learned, so every frame is flooded to its whole
mask, never back to where it came from.

Towards the CPU a frame gets an extraction header (SRCPORT, LEN with FCS, TIMESTAMP in ns << 2; the rest is
zero) and its FCS, and goes to `Switch.to_cpu`.

Modelled fields of an injection header: BYPASS, MASQ, MASQ_PORT, DSTS, TCI (not 0: the tag is inserted),
REW_CMD (0, 3, 4), PDU_TYPE (0, 7, 8), TIMESTAMP (two-step id); QOS_CLASS and IPV are accepted, but every port
serves frames in their order of arrival. Everything else is refused with `NotModelledError`: cut-through,
redundancy tags, OAM, DSCP, tag popping, CPU queues, sFlow, ACL, ISDX, sequence numbers, AFI, RTP. Also not
modelled: learning and ageing, VLAN filtering and egress tagging, QoS scheduling, shaping and policing, flow
control, mirroring.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

from lan966x_lab import ifh
from lan966x_lab.hw import rewriter
from lan966x_lab.hw.fcs import FCS_LEN, fcs
from lan966x_lab.hw.lan966x_regs import CPU_PORT, NUM_PHYS_PORTS, PGID_SRC, PduType, RewOp
from lan966x_lab.hw.ports import FrontPort, Order
from lan966x_lab.hw.registers import Door

TX, RX = ifh.LAN966X.tx, ifh.LAN966X.rx
MODELLED = (
    "BYPASS",
    "MASQ",
    "MASQ_PORT",
    "DSTS",
    "QOS_CLASS",
    "IPV",
    "TCI",
    "REW_CMD",
    "PDU_TYPE",
    "TIMESTAMP",
)
_NOT_MODELLED = (1 << 8 * TX.nbytes) - 1 - sum(TX[name].mask for name in MODELLED)
_FIELDS = tuple((name, TX[name].pos, TX[name].maximum) for name in MODELLED)
_TIMESTAMP, _LEN, _SRCPORT = (RX[name].pos for name in ("TIMESTAMP", "LEN", "SRCPORT"))
_ALLOWED = {"REW_CMD": tuple(RewOp), "PDU_TYPE": tuple(PduType)}


class NotModelledError(NotImplementedError):
    """The header asks for something that the lab's switch does not do."""


class Switch:
    """Attributes: `to_cpu` takes packets for the CPU and says whether it had room; `counters` per way and
    reason.
    """

    def __init__(self, door: Door, to_cpu: Callable[[bytes], bool]) -> None:
        self.to_cpu = to_cpu
        self.ports: Sequence[FrontPort] = ()
        self.counters: Counter[str] = Counter()
        self.wrong_srcport: deque[int] = deque()
        self.wrong_len: deque[int] = deque()
        self._door = door
        for port in range(NUM_PHYS_PORTS + 1):
            door.add(f"ANA_PGID[{PGID_SRC + port}]")

    def inject(self, packet: bytes) -> None:
        """A packet of the CPU: injection header, frame, no FCS.

        Raises:
            NotModelledError: the header asks for something else than the docstring of this module lists.
        """
        self.counters["injected"] += 1
        header, frame = int.from_bytes(packet[: TX.nbytes], "big"), packet[TX.nbytes :]
        if header & _NOT_MODELLED:
            raise _refuse(header)
        value = {name: header >> pos & maximum for name, pos, maximum in _FIELDS}
        for name, allowed in _ALLOWED.items():
            if value[name] not in allowed:
                raise NotModelledError(
                    f"{name} = {value[name]} is not modelled: use one of {[int(known) for known in allowed]}"
                )
        if value["TCI"]:
            frame = rewriter.insert_tag(frame, value["TCI"])
        order = Order(value["REW_CMD"], value["PDU_TYPE"], value["TIMESTAMP"])
        if value["BYPASS"]:
            if value["MASQ"]:
                raise NotModelledError("BYPASS and MASQ together: choose one, BYPASS skips what MASQ steers")
            self._forward(value["DSTS"], frame, order, CPU_PORT, 0)
        else:
            source = value["MASQ_PORT"] if value["MASQ"] else CPU_PORT
            if source > CPU_PORT:
                raise NotModelledError(f"MASQ_PORT = {source}: the switch has the ports 0..{CPU_PORT}")
            self._forward(self._mask(source), frame, order, source, 0)

    def ingress(self, port: int, data: bytes, stamp_ns: int) -> None:
        """A frame with FCS that arrived intact at `port`; `stamp_ns` is the nanosecond of the second."""
        self._forward(self._mask(port), data[:-FCS_LEN], Order(), port, stamp_ns)

    def _mask(self, source: int) -> int:
        return self._door.peek(f"ANA_PGID[{PGID_SRC + source}]") & ~(1 << source)

    def _forward(self, mask: int, frame: bytes, order: Order, source: int, stamp_ns: int) -> None:
        if not mask & (1 << CPU_PORT + 1) - 1:
            self.counters["no_destination"] += 1
        for port in self.ports:
            if mask >> port.number & 1:
                port.send(frame, order)
        if mask >> CPU_PORT & 1:
            self._extract(frame, source, stamp_ns)

    def _extract(self, frame: bytes, source: int, stamp_ns: int) -> None:
        srcport = self.wrong_srcport.popleft() if self.wrong_srcport else source
        length = self.wrong_len.popleft() if self.wrong_len else len(frame) + FCS_LEN
        header = stamp_ns << _TIMESTAMP + 2 | length << _LEN | srcport << _SRCPORT
        taken = self.to_cpu(header.to_bytes(RX.nbytes, "big") + frame + fcs(frame))
        self.counters["to_cpu" if taken else "cpu_no_memory"] += 1


def _refuse(header: int) -> NotModelledError:
    for field in TX.fields:
        if field.name not in MODELLED and (value := header >> field.pos & field.maximum):
            return NotModelledError(
                f"the injection header sets {field.name} = {value}, which is not modelled: leave it 0. "
                f"Modelled are {', '.join(MODELLED)}."
            )
    reserved = header & _NOT_MODELLED
    return NotModelledError(f"the injection header sets reserved bits ({reserved:#x}): leave them 0")
