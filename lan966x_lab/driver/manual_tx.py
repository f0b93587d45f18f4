"""Manual transmit: the CPU writes every word of a frame into the injection FIFO, and asks before each (seed
001).

When the FIFO gets stuck in the middle of a frame, the kernel's driver returns and leaves the frame open. Here
it is given up with QS_INJ_CTRL.ABORT. That bit is borrowed: the kernel names it for sibling chips only.
"""

from __future__ import annotations

import struct

from lan966x_lab.driver.options import Options
from lan966x_lab.driver.polling import read_poll_timeout
from lan966x_lab.hw.lan966x_regs import BUFFER_MIN_SZ, GrpCfg, InjCtrl, InjStatus
from lan966x_lab.hw.registers import Door

STATUS = "QS_INJ_STATUS"
START = InjCtrl.GAP_SIZE.put(1) | InjCtrl.SOF.put(1)
END = InjCtrl.GAP_SIZE.put(1) | InjCtrl.EOF.put(1)
GIVE_UP = InjCtrl.GAP_SIZE.put(1) | InjCtrl.ABORT.put(1)


class ManualTransmit:
    """One injection group. `options` may be replaced between two frames."""

    def __init__(self, door: Door, options: Options, group: int = 0) -> None:
        self.door = door
        self.options = options
        self._bit = 1 << group
        self._ready_mask = InjStatus.FIFO_RDY.put(self._bit)
        self._control = f"QS_INJ_CTRL[{group}]"
        self._data = f"QS_INJ_WR[{group}]"
        self._config = f"QS_INJ_GRP_CFG[{group}]"

    def start(self) -> None:
        """Manual mode, words in memory order."""
        self.door.write(self._config, GrpCfg.MODE.put(GrpCfg.MANUAL) | GrpCfg.BYTE_SWAP.put(1))

    def busy(self) -> bool:
        """Whether the FIFO has no room for a whole frame."""
        status = self.door.read(STATUS)
        ready = InjStatus.FIFO_RDY.get(status) & self._bit
        return not ready or bool(InjStatus.WMARK_REACHED.get(status) & self._bit)

    def inject(self, header: bytes, frame: bytes) -> None:
        """Write one frame. Short frames are padded with zeros to 60 bytes, and so is the last word.

        Raises:
            PollTimeoutError: the FIFO got stuck.

        After this or any other exception the frame was given up with ABORT: nothing was sent, and the FIFO is
        ready for the next one.
        """
        tail = len(frame) % 4
        padded = frame.ljust(max(BUFFER_MIN_SZ, len(frame) + -tail % 4), b"\0")
        vld_bytes = tail if len(frame) >= BUFFER_MIN_SZ else 0
        self.door.write(self._control, START)
        try:
            self._write_words(header)
            self._write_words(padded)
            self.door.write(self._control, END | InjCtrl.VLD_BYTES.put(vld_bytes))
            self.door.write(self._data, 0)
        except BaseException:
            self.door.write(self._control, GIVE_UP)
            raise

    def _write_words(self, data: bytes) -> None:
        words = struct.unpack(f"<{len(data) // 4}I", data)
        at = 0
        while at < len(words):
            # Words whose question has only one possible answer go in one step; see hw.registers.
            at += self.door.write_run(STATUS, self._data, words, at, ktime=not self.options.check_fifo_first)
            if at < len(words):
                self._wait_until_ready()
                self.door.write(self._data, words[at])
                at += 1

    def _wait_until_ready(self) -> None:
        if self.options.check_fifo_first and self._is_ready(self.door.read(STATUS)):
            return
        read_poll_timeout(self.door, STATUS, self._is_ready)

    def _is_ready(self, status: int) -> bool:
        return bool(status & self._ready_mask)
