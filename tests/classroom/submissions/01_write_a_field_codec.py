"""Submissions to exercise 01: what learners write when they go from bits to bytes for the first time."""

from submissions_support import Bad, Good

WHOLE = """
def get_field(header, pos, width):
    return int.from_bytes(header, "big") >> pos & (1 << width) - 1
"""
BITWISE = """
def set_field(header, pos, width, value):
    for i in range(width):
        if value >> i & 1:
            header[len(header) - (pos + i) // 8 - 1] |= 1 << (pos + i) % 8
"""
SLICED = """
def lean_get(header, pos, width):
    top = pos + width - 1
    piece = header[len(header) - 1 - top // 8 : len(header) - pos // 8]
    return (int.from_bytes(piece, "big") >> pos % 8) % (1 << width)
"""

SUBMISSIONS = {
    "one big number, and one bit at a time": Good(
        {
            "locate": (
                "def locate(bit, nbytes):\n"
                "    back, place = divmod(bit, 8)\n"
                "    return nbytes - back - 1, place"
            ),
            "get_in_byte": (
                "def get_in_byte(header, pos, width):\n"
                "    byte = header[-1 - pos // 8]\n"
                "    return (byte >> pos % 8) % 2**width"
            ),
            "get_field": WHOLE,
            "set_field": BITWISE,
            "read_header": (
                "def read_header(received, fields):\n"
                "    number = int.from_bytes(received[0:28], 'big')\n"
                "    found = {}\n"
                "    for name in fields:\n"
                "        pos, width = fields[name]\n"
                "        found[name] = (number >> pos) & (2**width - 1)\n"
                "    return found"
            ),
            "lean_get": SLICED,
        }
    ),
    "NumPy all the way": Good(
        {
            "get_field": (
                "import numpy as np\n"
                "def get_field(header, pos, width):\n"
                "    bits = np.unpackbits(np.frombuffer(bytes(header), np.uint8))[::-1]\n"
                "    value = bits[pos : pos + width].astype(np.uint64)\n"
                "    return (value << np.arange(width, dtype=np.uint64)).sum()"
            ),
        }
    ),
    "counts bytes from the low end": Bad(
        {"locate": "def locate(bit, nbytes):\n    return bit // 8, bit % 8"},
        check="check_locate",
        says="this counts bytes from the low end; byte 0 is the one that leads.",
        also=("check_get_in_byte", "check_get_field", "check_set_field", "check_read_header"),
    ),
    "one byte too far": Bad(
        {"locate": "def locate(bit, nbytes):\n    return nbytes - bit // 8, bit % 8"},
        check="check_locate",
        says="one byte too far: the last byte has the number nbytes - 1.",
        also=("check_get_in_byte", "check_get_field", "check_set_field", "check_read_header"),
    ),
    "forgets the bits above": Bad(
        {
            "get_in_byte": (
                "def get_in_byte(header, pos, width):\n"
                "    index, place = locate(pos, len(header))\n"
                "    return header[index] >> place"
            )
        },
        check="check_get_in_byte",
        says="this still has the bits above the field; keep the lowest 3 of them.",
    ),
    "masks with the width": Bad(
        {
            "get_in_byte": (
                "def get_in_byte(header, pos, width):\n"
                "    index, place = locate(pos, len(header))\n"
                "    return header[index] >> place & width"
            )
        },
        check="check_get_in_byte",
        says="a mask of width ones is (1 << width) - 1; the width itself is no mask.",
    ),
    "divides the width to count bytes": Bad(
        {
            "get_field": """
def get_field(header, pos, width):
    last, place = locate(pos, len(header))
    first = last - (width + 7) // 8 + 1
    return int.from_bytes(header[first : last + 1], "big") >> place & (1 << width) - 1
"""
        },
        check="check_get_field",
        says="a byte is missing at the top: count bytes from the field's lowest bit to its highest, "
        "since the width alone does not tell how many byte edges it crosses.",
    ),
    "joins the bytes backwards": Bad(
        {
            "get_field": """
def get_field(header, pos, width):
    last, place = locate(pos, len(header))
    first, _ = locate(pos + width - 1, len(header))
    return int.from_bytes(header[first : last + 1], "little") >> place & (1 << width) - 1
"""
        },
        check="check_get_field",
        says="the bytes are joined in the wrong order; the one that comes first counts most.",
        also=("check_read_header",),
    ),
    "reads one byte only": Bad(
        {"get_field": "def get_field(header, pos, width):\n    return get_in_byte(header, pos, width)"},
        check="check_get_field",
        says="these are the bits of one byte; the field goes on in the byte before it.",
        also=("check_read_header",),
    ),
    "assigns where it should OR": Bad(
        {
            "set_field": """
def set_field(header, pos, width, value):
    first, last = len(header) - 1 - (pos + width - 1) // 8, len(header) - 1 - pos // 8
    header[first : last + 1] = (value << pos % 8).to_bytes(last + 1 - first, "big")
"""
        },
        check="check_set_field",
        says="the field is right, but its neighbours in the same bytes are gone; OR it in.",
    ),
    "works on a copy": Bad(
        {
            "set_field": """
def set_field(header, pos, width, value):
    number = int.from_bytes(header, "big") | value << pos
    header = bytearray(number.to_bytes(len(header), "big"))
    return header
"""
        },
        check="check_set_field",
        says="nothing has changed; work on the header that you are given, it is a bytearray.",
    ),
    "stops after one byte": Bad(
        {
            "set_field": """
def set_field(header, pos, width, value):
    index, place = locate(pos, len(header))
    header[index] |= value << place & 0xFF
"""
        },
        check="check_set_field",
        says="only the lowest byte got its bits; go on in the byte before it.",
    ),
    "forgets that a byte ends at 255": Bad(
        {
            "set_field": """
def set_field(header, pos, width, value):
    index, place = locate(pos, len(header))
    header[index] |= value << place
"""
        },
        check="check_set_field",
        says="Saw: ValueError: byte must be in range(0, 256), in line 3 of set_field: "
        "header[index] |= value << place",
    ),
    "hands the frame to get_field": Bad(
        {
            "read_header": (
                "def read_header(received, fields):\n"
                "    return {name: get_field(received, *place) for name, place in fields.items()}"
            )
        },
        check="check_read_header",
        says="bit 0 is the last one of the header, not of all that was received; cut out the first 28 bytes.",
    ),
    "returns the values alone": Bad(
        {
            "read_header": (
                "def read_header(received, fields):\n"
                "    return [get_field(received[:28], *place) for place in fields.values()]"
            )
        },
        check="check_read_header",
        says="the values are right; return them under their names, in a dict.",
    ),
}
