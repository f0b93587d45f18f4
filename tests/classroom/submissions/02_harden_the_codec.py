"""Submissions to exercise 02: codecs that are almost hard."""

from submissions_support import Bad, Good

NUMBER = """
def set_field(header, pos, width, value):
    top = 8 * len(header)
    if width <= 0 or not 0 <= pos <= top - width:
        raise ValueError(f"no such field: pos {pos}, width {width}")
    if value < 0 or value >> width:
        raise ValueError(f"value {value} not in 0..{2**width - 1}")
    number = int.from_bytes(header, "big")
    number &= ~(2**width - 1 << pos)
    header[:] = (number | value << pos).to_bytes(len(header), "big")
"""
BIT_BY_BIT = """
def clear_field(header, pos, width):
    for bit in range(pos, pos + width):
        header[len(header) - 1 - bit // 8] &= 255 - (1 << bit % 8)
"""
QUESTIONS = """
    if pos < 0 or width < 1 or pos + width > 8 * len(header):
        raise ValueError("the field is not in the header")
"""
FITS = """
    if not 0 <= value < 1 << width:
        raise ValueError(f"{value} does not fit: 0 to {(1 << width) - 1}")
"""
PUT = """
    rest, index = value << pos % 8, len(header) - 1 - pos // 8
    while rest:
        header[index] |= rest & 0xFF
        rest >>= 8
        index -= 1
"""
SET = "def set_field(header, pos, width, value):"

SUBMISSIONS = {
    "one big number, bits, and questions first": Good(
        {
            "genmask": (
                "def genmask(high, low):\n"
                "    mask = 0\n"
                "    for bit in range(low, high + 1):\n"
                "        mask |= 1 << bit\n"
                "    return mask"
            ),
            "clear_field": BIT_BY_BIT,
            "set_field": NUMBER,
            "set_all": """
def set_all(header, fields, values):
    for name in values:
        set_field(bytearray(header), *fields[name], values[name])
    for name in values:
        set_field(header, *fields[name], values[name])
""",
            "join_words": """
def join_words(words):
    return int.from_bytes(b"".join(word.to_bytes(4, "big", signed=True) for word in words), "big")
""",
        }
    ),
    "undoes what it has done": Good(
        {
            "set_all": """
def set_all(header, fields, values):
    before = bytes(header)
    try:
        for name, value in values.items():
            set_field(header, *fields[name], value)
    except (KeyError, ValueError):
        header[:] = before
        raise
""",
            "join_words": """
def join_words(words):
    return sum(word % 2**32 << 32 * place for place, word in enumerate(reversed(words)))
""",
        }
    ),
    "a mask that is one short": Bad(
        {"genmask": "def genmask(high, low):\n    return ((1 << (high - low)) - 1) << low"},
        check="check_genmask",
        says="bit `high` is missing; both ends belong to the mask.",
        also=("check_clear_field", "check_set_field", "check_join_words", "check_set_all"),
    ),
    "a mask with nothing below": Bad(
        {"genmask": "def genmask(high, low):\n    return (1 << high + 1) - 1"},
        check="check_genmask",
        says="the bits below `low` are 0.",
        also=("check_clear_field", "check_set_field", "check_set_all"),
    ),
    "clears whole bytes": Bad(
        {
            "clear_field": """
def clear_field(header, pos, width):
    for index in range(len(header) - 1 - (pos + width - 1) // 8, len(header) - pos // 8):
        header[index] = 0
"""
        },
        check="check_clear_field",
        says="whole bytes are cleared; the neighbours in them belong to other fields.",
        also=("check_set_field", "check_set_all"),
    ),
    "turns the bits over": Bad(
        {
            "clear_field": """
def clear_field(header, pos, width):
    number = int.from_bytes(header, "big") ^ genmask(pos + width - 1, pos)
    header[:] = number.to_bytes(len(header), "big")
"""
        },
        check="check_clear_field",
        says="XOR turns bits over, and a 0 becomes 1; AND with the complement.",
        also=("check_set_field", "check_set_all"),
    ),
    "never clears": Bad(
        {"set_field": SET + QUESTIONS + FITS + PUT},
        check="check_set_field",
        says="old and new value are mixed: OR never clears; take the field's old bits out first.",
        also=("check_set_all",),
    ),
    "masks instead of refusing": Bad(
        {
            "set_field": SET
            + QUESTIONS
            + "    value &= (1 << width) - 1\n    clear_field(header, pos, width)"
            + PUT
        },
        check="check_set_field",
        says="the call went through; raise ValueError before you touch the header.",
        also=("check_set_all",),
    ),
    "clears, then asks": Bad(
        {"set_field": SET + QUESTIONS + "    clear_field(header, pos, width)" + FITS + PUT},
        check="check_set_field",
        says="it was refused, but the header is changed already; ask every question before you write.",
    ),
    "allows one too many": Bad(
        {
            "set_field": SET
            + QUESTIONS
            + FITS.replace("value < 1", "value <= 1")
            + "    clear_field(header, pos, width)"
            + PUT
        },
        check="check_set_field",
        says="the call went through; raise ValueError before you touch the header.",
        also=("check_set_all",),
    ),
    "refuses without a word": Bad(
        {
            "set_field": SET
            + QUESTIONS
            + "    if not 0 <= value < 1 << width:\n        raise ValueError('bad value')\n"
            + "    clear_field(header, pos, width)"
            + PUT
        },
        check="check_set_field",
        says="whoever reads the message should find in it the value and the largest one that fits.",
    ),
    "does not ask where": Bad(
        {"set_field": SET + FITS + "    clear_field(header, pos, width)" + PUT},
        check="check_set_field",
        says="the call went through, and bits in front of byte 0 went to index -1, which is the last byte; "
        "refuse a field that does not lie in the header.",
    ),
    "refuses the topmost field": Bad(
        {
            "set_field": SET
            + QUESTIONS.replace("pos + width >", "pos + width >=")
            + FITS
            + "    clear_field(header, pos, width)"
            + PUT
        },
        check="check_set_field",
        says="it was refused, and nothing is wrong: (1 << width) - 1 fits, "
        "and the header's highest bit is a bit, too.",
        also=("check_set_all",),
    ),
    "one after the other": Bad(
        {
            "set_all": """
def set_all(header, fields, values):
    for name, value in values.items():
        set_field(header, *fields[name], value)
"""
        },
        check="check_set_all",
        says="it was refused when a part was written already; look at all of the fields before the first "
        "write, or work in a copy.",
    ),
    "binds the name anew": Bad(
        {
            "set_all": """
def set_all(header, fields, values):
    after = bytearray(header)
    for name, value in values.items():
        set_field(after, *fields[name], value)
    header = after
"""
        },
        check="check_set_all",
        says="nothing has changed; work on the header that you are given, it is a bytearray.",
    ),
    "lets the sign through": Bad(
        {
            "join_words": """
def join_words(words):
    number = 0
    for word in words:
        number = number << 32 | word
    return number
"""
        },
        check="check_join_words",
        says="a negative word brings ones along, in every bit above its own: keep 32 bits of it first.",
    ),
    "takes the sign away": Bad(
        {
            "join_words": """
def join_words(words):
    number = 0
    for word in words:
        number = number << 32 | abs(word)
    return number
"""
        },
        check="check_join_words",
        says="abs changes the bits; the pattern stays when you keep the lowest 32 bits.",
    ),
    "a mask of 33 bits": Bad(
        {
            "join_words": """
def join_words(words):
    number = 0
    for word in words:
        number = number << 32 | word & genmask(32, 0)
    return number
"""
        },
        check="check_join_words",
        says="a mask of 33 bits lets one copied sign through; 32 bits are bits 31 to 0.",
    ),
    "a mask of 31 bits": Bad(
        {
            "join_words": """
def join_words(words):
    number = 0
    for word in words:
        number = number << 32 | word & 0x7FFFFFFF
    return number
"""
        },
        check="check_join_words",
        says="bit 31 of each word is gone; it is a bit like any other, keep all 32.",
    ),
}
