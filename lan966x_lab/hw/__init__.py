"""Device models at the level a driver sees them: registers, FIFOs, rings, clocks.

Every register access goes through one counted `Door`, in virtual time. Start with `lan966x` (the switch),
then the parts that its docstring names. Descriptor rings stand on `ring` and `memory`: `fdma`, `bcm4908`,
`ravb`.
"""

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.registers import Access, Costs, Door
from lan966x_lab.hw.wires import Capture, Wire

__all__ = ["Access", "Capture", "Clock", "Costs", "Door", "Lan966x", "Wire"]
