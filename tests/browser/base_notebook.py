"""A small notebook of the workbook's own parts, for the browser tests: each part once, in every state."""

import nbformat

_CELLS = [
    """\
from lan966x_lab import workbook as wb
wb.banner()""",
    """\
wb.Gate(
    "Which frames may skip the clock read, and how much of the receive path is that on a quiet network?",
    [
        ("Every frame that is no PTP event message", "Only Sync, Delay_Req and two others have a time."),
        (
            "Every frame that is no UDP: the daemon listens on UDP ports 319 and 320 and nowhere else here",
            "PTP also travels in plain Ethernet frames and over IPv6; and most UDP is no PTP at all, so "
            "this reads the clock too often and misses frames that need it.",
        ),
        ("None", "Then nothing is saved."),
    ],
    answer=0,
    opens=wb.bar_pairs(
        "Clock reads", "per frame", [wb.Pair("TCP", 1, 0, "counted"), wb.Pair("PTP", 1, 1, "counted")]
    ),
)""",
    """\
class Bits(wb.Explorer):
    def __init__(self, start=5):
        self.value = wb.number("Value", start, 0, 255, tip="the byte to draw")
        self.order = wb.choice("First bit", {"most significant": 1, "least significant": 0})
        self.typed = wb.text("Value as text", str(start), width=220, hint="decimal or 0x…")
        self.shade = wb.switch("Shade set bits", True)
        self.clear = wb.button("Clear")
        controls = [self.value, self.order, self.typed, [self.shade, self.clear]]
        super().__init__("A byte as eight bits", controls)
        self.when(self.typed, self.take)
        self.when(self.clear, lambda: setattr(self.value, "value", 0))
    def take(self):
        self.value.value = wb.whole(self.typed.value, "Value", 0, 255)
    def draw(self):
        svg = wb.Svg(wb.WIDTH, 120, "eight bits")
        tone = wb.palette.tone(0)
        for place in range(8):
            bit = 7 - place if self.order.value else place
            on = self.value.value >> bit & 1
            fill = tone.soft if on and self.shade.value else "none"
            svg.rect(20 + 98 * place, 26, 92, 56, fill=fill, stroke=tone.strong, radius=4)
            svg.text(66 + 98 * place, 62, on, size=22, anchor="middle", mono=True)
            svg.text(66 + 98 * place, 102, f"bit {bit}", anchor="middle", fill=wb.palette.MUTED)
        return wb.Picture(svg, f"{self.value.value} has {self.value.value.bit_count()} of 8 bits set.")
one, two = Bits(), Bits(200)
one""",
    "two",
    "one",
    "one.static()",
    "wb.source(wb.evidence, wb.whole)",
    """\
def bit_loop(header, field):
    value = 0
    for i in range(field.width):
        value |= bit(header, field.pos + i) << i
    return value  # one bit at a time
def whole_int(header, field):
    number = int.from_bytes(header, "big")
    return number >> field.pos & field.mask
wb.source(bit_loop, whole_int)""",
    """\
wb.bar_pairs("Throughput of iperf3", "Mbit/s", [
    wb.Pair("bit loop → byte shift", 367, 472, "reported"),
    wb.Pair("merged version", 367, 485, "reported"),
    wb.Pair("here", 11.2, 83.5, "timed here")])""",
    """\
rows = [["bit loop", 224, "12.41", wb.evidence("counted")],
        ["byte shift", 31, "1.07", wb.evidence("timed here")],
        ["whole int", 1_200, "0.40", wb.evidence("reported")]]
wb.table(rows, ["codec", "loads", "µs", "evidence"], "What one set costs")""",
    """\
fig, ax = wb.figure(height=300, title="Throughput and the length of the frame")
for k in range(4):
    speeds = [k * 20 + x for x in (36, 290, 400, 472)]
    ax.plot([64, 512, 1024, 1518], speeds, label=f"tree {k}", marker="os^D"[k])
ax.set(xlabel="Frame length, bytes", ylabel="Mbit/s")
ax.legend()
wb.Picture(fig, "Longer frames carry more; the trees differ by 20 Mbit/s each.")""",
    """\
steps = [wb.Step(6, (3,), mistakes=[(9, "that squares it.")]), wb.Step(0, (0,), edge=True)]
check = wb.Check("double", steps, hint="write the function above.")
check(globals())""",
    "def double(x):\n    raise NotImplementedError('return twice x')\ncheck(globals())",
    "def double(x):\n    return x * x\ncheck(globals())",
    "def double(x):\n    return 2 * x if x else None\ncheck(globals())",
    "def double(x):\n    return 2 * x\ncheck(globals())",
]


def notebook() -> nbformat.NotebookNode:
    """The notebook, not run yet."""
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell, id=f"cell-{i}") for i, cell in enumerate(_CELLS)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
