"""The LAN966x: all parts of the chip behind one door.

What is modelled, and what is not, stands at the head of each part: `injection`, `extraction`, `switch`,
`ports`, `rewriter`, `phc`, `timestamps`. Frames for the CPU go to ``switch.to_cpu`` (at first: extraction
group 0) as header, frame and FCS; frames of the CPU come in through ``switch.inject`` as header and frame.
The FDMA engine takes both ends over where the groups are in its mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lan966x_lab.hw import extraction
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.extraction import ExtractionGroup
from lan966x_lab.hw.fdma import INJ_CHANNEL, XTR_CHANNEL, Fdma
from lan966x_lab.hw.injection import InjectionGroup
from lan966x_lab.hw.lan966x_regs import NUM_GROUPS, NUM_PHYS_PORTS
from lan966x_lab.hw.limits import Named, whole
from lan966x_lab.hw.phc import PtpClock
from lan966x_lab.hw.ports import FrontPort
from lan966x_lab.hw.registers import Costs, Door
from lan966x_lab.hw.switch import Switch
from lan966x_lab.hw.timestamps import TwoStepFifo
from lan966x_lab.hw.wires import Wire


class Lan966x:
    """A LAN966x with 8 front ports, out of reset: nothing is configured.

    Args:
        clock: shared with everything on the same wires; a new one if None.
        costs: what an access costs the CPU.
        bulk: False makes the door go through every access singly (same results, slower).
        fifo_depth, fifo_watermark, fifo_word_ns: see `InjectionGroup`; the FIFO drains at the ports' speed if
            `fifo_word_ns` is None.
        speed_mbps: of all front ports.

    Raises:
        ValueError: one of the numbers is outside its range.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        costs: Costs | None = None,
        *,
        bulk: bool = True,
        fifo_depth: int = 1024,
        fifo_watermark: int = 512,
        fifo_word_ns: int | None = None,
        speed_mbps: int = 1000,
    ) -> None:
        whole("fifo_depth", fifo_depth, 1, advice="in words")
        whole("fifo_watermark", fifo_watermark, 1, advice="in words")
        whole("speed_mbps", speed_mbps, 1, 32_000, "1000 is the ports' own")
        if fifo_word_ns is not None:
            whole("fifo_word_ns", fifo_word_ns, 1, advice="None takes the ports' speed")
        self.clock = clock or Clock()
        self.door = door = Door(self.clock, costs, bulk=bulk)
        self.extraction = [ExtractionGroup(door, group) for group in range(NUM_GROUPS)]
        self.switch = Switch(door, self.extraction[0].offer)
        self.injection = [
            InjectionGroup(
                door,
                group,
                self.switch.inject,
                depth=fifo_depth,
                watermark=fifo_watermark,
                word_ns=fifo_word_ns or 32_000 // speed_mbps,
            )
            for group in range(NUM_GROUPS)
        ]
        self.fdma = Fdma(door, self.switch)
        self.ptp = PtpClock(door)
        self.two_step = TwoStepFifo(door)
        self.ports = [
            FrontPort(
                door, number, self.ptp.domains[0], self.two_step, self.switch.ingress, speed_mbps=speed_mbps
            )
            for number in range(NUM_PHYS_PORTS)
        ]
        self.switch.ports = self.ports
        door.add("QS_INJ_STATUS", read=self._injection_status, steady=self._injection_steady)
        door.add("QS_XTR_DATA_PRESENT", read=self._data_present)
        door.add("QS_XTR_FLUSH", write=self._flush)

    def _injection_status(self) -> int:
        return sum(group.status << number for number, group in enumerate(self.injection))

    def _injection_steady(self, value: int) -> float:
        if value != self._injection_status():
            return self.clock.now_ns
        return min(group.steady_until() for group in self.injection)

    def _data_present(self) -> int:
        return sum(group.data_present << number for number, group in enumerate(self.extraction))

    def _flush(self, mask: int) -> None:
        for number, group in enumerate(self.extraction):
            group.is_flushing = bool(mask >> number & 1)
            if group.is_flushing:
                group.flush()

    @property
    def faults(self) -> Mapping[str, Callable[[], None]]:
        """Faults that can be ordered without further words; each strikes once, at the next occasion.

        A name that is not there is a `KeyError` with the nearest known one.
        """
        injection, xtr = self.injection[0], self.extraction[0]
        return Named(
            "fault",
            {
                "fifo stalls for 1 ms": partial(injection.hold, 1_000_000),
                "injected word lost": injection.lose_word,
                "frame aborted": partial(xtr.order, extraction.abort_frame),
                "frame pruned": partial(xtr.order, extraction.prune_frame),
                "frame truncated": partial(xtr.order, extraction.truncate_frame),
                "extracted word lost": partial(xtr.order, extraction.lose_word),
                "not ready for 50 µs": partial(xtr.order, extraction.not_ready(50_000)),
                "never ready": partial(xtr.order, extraction.not_ready(None)),
                "wrong SRCPORT": partial(self.switch.wrong_srcport.append, 15),
                "LEN too small": partial(self.switch.wrong_len.append, 3),
                "LEN too large": partial(self.switch.wrong_len.append, 16383),
                "timestamp dropped": self.two_step.drop_next,
                "timestamp late": partial(self.two_step.delay_next, 20_000_000),
                "bit flipped on the wire": partial(self._each_wire, lambda wire: wire.flip_bit(100)),
                "frame lost on the wire": partial(self._each_wire, Wire.lose_next),
                "FDMA cannot read a frame": partial(self.fdma.fail_next, INJ_CHANNEL),
                "FDMA cannot write a frame": partial(self.fdma.fail_next, XTR_CHANNEL),
            },
        )

    def _each_wire(self, fault: Callable[[Wire], None]) -> None:
        for wire in {id(port.wire): port.wire for port in self.ports if port.wire}.values():
            fault(wire)
