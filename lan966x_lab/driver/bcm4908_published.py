"""The bcm4908 driver with the defects of the first published version of seed 003, so that readers can catch
them.

Written anew from the description in the thread; nothing else in the lab uses it. Each method below differs
from `Bcm4908Driver` in the defect alone. Those of the receive path came with the patch, that of the transmit
ring is older.
"""

from __future__ import annotations

from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_ZLEN, Skb
from lan966x_lab.hw import bcm4908 as hw
from lan966x_lab.hw.bcm4908 import Ctl
from lan966x_lab.hw.memory import Direction


class PublishedBcm4908Driver(Bcm4908Driver):
    """Defects: unmap length 0 at close; a bad frame leaks its mapping and ends the poll; two wrap points."""

    def close(self) -> None:
        """Unmaps with the slot's length, which the receive path no longer sets: 0."""
        self.door.write("CH_INT_MASK[rx]", 0)
        self.door.write("CH_INT_MASK[tx]", 0)
        self.door.write("CH_CFG[rx]", 0)
        for slot in self.rx_slots:
            self.dma.unmap_single(slot.bus, 0, Direction.FROM_DEVICE)
            slot.fragment.free()
        self.is_open = False

    def poll(self, budget: int) -> int:
        """A bad frame is replaced, freed without an unmap, and ends the poll, not counted as work."""
        self._clean_tx()
        done = 0
        while done < budget:
            ctl = self.rx.read(self.rx_next)[0]
            if ctl & Ctl.OWN:
                break
            index, slot, fresh = self.rx_next, self.rx_slots[self.rx_next], self._new_slot(self.rx_next)
            if fresh is None:
                break
            self.rx_slots[index] = fresh
            self._arm(index, fresh)
            self.rx_next = self.rx.next(index)
            length = hw.length_of(ctl)
            if length < ETH_ZLEN or not ctl & Ctl.SOP or not ctl & Ctl.EOP:
                slot.fragment.free()
                self.stats.rx_errors += 1
                break
            skb = self._keep(index, slot, length - ETH_FCS_LEN)
            if skb is None:
                self.stats.rx_no_memory += 1
                break
            self._up(skb)
            done += 1
        if done < budget:
            self.gro.flush()
            self._unmask()
        self.door.write("CH_CFG[rx]", hw.CFG_ENABLE)
        return done

    def xmit(self, skb: Skb) -> bool:
        """The producer wraps one slot before the end of the ring; `_clean_tx` wraps at its end."""
        sent = super().xmit(skb)
        if sent and self.tx_slots.head == self.tx_size - 1:
            last = self.tx.read(self.tx_size - 2)
            self.tx.write(self.tx_size - 2, last[0] | Ctl.WRAP, last[1])
            self.tx_slots.head = 0
        return sent
