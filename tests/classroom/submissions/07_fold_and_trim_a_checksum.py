"""Submissions to exercise 07: the classic mistakes of the Internet checksum."""

from submissions_support import Bad, Good

FOLD = """
def fold(total):
    return 0 if total == 0 else (total - 1) % 0xFFFF + 1
"""
SUM = """
def sum_of(octets):
    total = 0
    for at, octet in enumerate(octets):
        total += octet if at & 1 else octet << 8
        total = (total & 0xFFFF) + (total >> 16)
    return total
"""
UPDATE = """
def update(field, old, new):
    total = (~field & 0xFFFF) + (~old & 0xFFFF) + new
    return ~fold(total) & 0xFFFF
"""
TRIM = """
def trim(total, tail, offset):
    if offset & 1:
        tail = fold(tail << 8)
    return (total - tail) % 0xFFFF
"""
UDP = """
def udp_checksum(datagram, pseudo_sum):
    empty = bytearray(datagram)
    empty[6] = empty[7] = 0
    checksum = 0xFFFF - fold(sum_of(bytes(empty)) + pseudo_sum)
    if checksum == 0:
        checksum = 0xFFFF
    return checksum
"""
VERDICT = """
def udp_verdict(datagram, pseudo_sum):
    if not (datagram[6] or datagram[7]):
        return "none"
    if (sum_of(datagram) + pseudo_sum) % 0xFFFF == 0:
        return "right"
    return "wrong"
"""
PIECES = """
def sum_of_pieces(pieces):
    total, odd = 0, False
    for piece in pieces:
        total += sum_of(piece) << (8 if odd else 0)
        odd ^= len(piece) & 1 == 1
    return fold(total)
"""
ON_FOLD = ("check_sum_of", "check_update", "check_trim", "check_udp_checksum", "check_udp_verdict")


def fold(body: str) -> dict[str, str]:
    """A fold of this body."""
    return {"fold": f"def fold(total):\n    {body}"}


SUBMISSIONS = {
    "remainders, byte by byte, ~ with a mask": Good(
        {
            "fold": FOLD,
            "sum_of": SUM,
            "update": UPDATE,
            "trim": TRIM,
            "udp_checksum": UDP,
            "udp_verdict": VERDICT,
            "sum_of_pieces": PIECES,
        }
    ),
    "folds once": Bad(
        fold("return (total & 0xFFFF) + (total >> 16)"),
        check="check_fold",
        says="folding once can carry once more: fold until nothing is left over.",
        also=("check_update",),
    ),
    "folds once and cuts": Bad(
        fold("return ((total & 0xFFFF) + (total >> 16)) & 0xFFFF"),
        check="check_fold",
        says="the second carry is lost: fold until nothing is left over.",
        also=("check_update",),
    ),
    "folds twice": Bad(
        fold("total = (total & 0xFFFF) + (total >> 16)\n    return (total & 0xFFFF) + (total >> 16)"),
        check="check_fold",
        says="a sum may be of any size: fold as often as it takes.",
    ),
    "loses the carry": Bad(
        fold("return total & 0xFFFF"),
        check="check_fold",
        says="the carry is lost: what does not fit into 16 bits comes back in at the low end.",
        also=ON_FOLD,
    ),
    "a remainder has one zero": Bad(
        fold("return total % 0xFFFF"),
        check="check_fold",
        says="0xffff fits into 16 bits; only a sum of nothing but zeros is 0.",
        also=("check_sum_of", "check_update"),
    ),
    "folds 0xffff for ever": Bad(
        fold("while total >= 0xFFFF:\n        total = (total & 0xFFFF) + (total >> 16)\n    return total"),
        check="check_fold",
        says=(
            "Saw: RuntimeError: 50,000 lines and no end: when does your loop stop?, in line 2 of "
            "fold: while total >= 0xFFFF:"
        ),
        also=ON_FOLD,
    ),
    "low byte first": Bad(
        {
            "sum_of": "def sum_of(octets):\n"
            "    even = octets + bytes(len(octets) % 2)\n"
            "    return fold(sum(int.from_bytes(even[i : i + 2], 'little') for i in range(0, len(even), 2)))"
        },
        check="check_sum_of",
        says="the first byte of a word is its high one.",
        also=("check_udp_checksum", "check_udp_verdict"),
    ),
    "the odd byte on the right": Bad(
        {
            "sum_of": "def sum_of(octets):\n"
            "    return fold(sum(int.from_bytes(octets[i : i + 2], 'big') for i in range(0, len(octets), 2)))"
        },
        check="check_sum_of",
        says="the odd byte stands on the left of a zero byte: it is the high one.",
        also=("check_udp_checksum", "check_udp_verdict"),
    ),
    "the odd byte forgotten": Bad(
        {
            "sum_of": "def sum_of(octets):\n"
            "    pairs = zip(octets[::2], octets[1::2])\n"
            "    return fold(sum(high << 8 | low for high, low in pairs))"
        },
        check="check_sum_of",
        says="the odd last byte is missing.",
        also=("check_udp_checksum", "check_udp_verdict"),
    ),
    "a sum that is inverted": Bad(
        {"sum_of": SUM.replace("return total", "return total ^ 0xFFFF")},
        check="check_sum_of",
        says="a sum is not inverted; a checksum is.",
        also=("check_udp_checksum", "check_udp_verdict"),
    ),
    "not folded": Bad(
        {
            "sum_of": "def sum_of(octets):\n"
            "    even = octets + bytes(len(octets) % 2)\n"
            "    return sum(int.from_bytes(even[i : i + 2], 'big') for i in range(0, len(even), 2))"
        },
        check="check_sum_of",
        says="it does not fit into 16 bits: fold it.",
    ),
    "equation 2": Bad(
        {"update": "def update(field, old, new):\n    return fold(field + old + (new ^ 0xFFFF))"},
        check="check_update",
        says="that is equation 2, which meets the wrong zero: invert the field, add, invert again.",
    ),
    "equation 2, patched": Bad(
        {
            "update": "def update(field, old, new):\n"
            "    made = fold(field + old + (new ^ 0xFFFF))\n"
            "    return 0 if made == 0xFFFF else made"
        },
        check="check_update",
        says="equation 3, with the carry: invert, add, add, fold, invert.",
    ),
    "plain subtraction": Bad(
        {"update": "def update(field, old, new):\n    return (field - old + new) & 0xFFFF"},
        check="check_update",
        says="a smaller word makes a larger checksum: the field is the inverse of the sum.",
    ),
    "the carry dropped, as in the erratum": Bad(
        {
            "update": "def update(field, old, new):\n"
            "    return ~((~field & 0xFFFF) + (~old & 0xFFFF) + new) & 0xFFFF"
        },
        check="check_update",
        says="a carry is lost: fold before you invert.",
    ),
    "Python's ~": Bad(
        {"update": "def update(field, old, new):\n    return ~fold((field ^ 0xFFFF) + (old ^ 0xFFFF) + new)"},
        check="check_update",
        says="Python's ~ gives a negative number, and so does -; invert 16 bits with ^ 0xffff.",
    ),
    "old and new exchanged": Bad(
        {"update": UPDATE.replace("(~old & 0xFFFF) + new", "(~new & 0xFFFF) + old")},
        check="check_update",
        says="a smaller word makes a larger checksum: the field is the inverse of the sum.",
    ),
    "not inverted back": Bad(
        {"update": UPDATE.replace("~fold(total) & 0xFFFF", "fold(total)")},
        check="check_update",
        says="invert once more at the end: what a header carries is the inverted sum.",
    ),
    "no swap": Bad(
        {"trim": "def trim(total, tail, offset):\n    return fold(total + (tail ^ 0xFFFF))"},
        check="check_trim",
        says="the tail starts at an odd offset, so its bytes stood in the other halves: swap its sum.",
    ),
    "swaps always": Bad(
        {"trim": TRIM.replace("    if offset & 1:\n        tail", "    tail")},
        check="check_trim",
        says="at an even offset the tail's sum is right as it is.",
    ),
    "swaps by the wrong parity": Bad(
        {"trim": TRIM.replace("if offset & 1:", "if not offset & 1:")},
        check="check_trim",
        says="at an even offset the tail's sum is right as it is.",
    ),
    "minus without a borrow": Bad(
        {"trim": TRIM.replace("(total - tail) % 0xFFFF", "total - tail")},
        check="check_trim",
        says="Python's ~ gives a negative number, and so does -; invert 16 bits with ^ 0xffff.",
    ),
    "the borrow of two's complement": Bad(
        {"trim": TRIM.replace("(total - tail) % 0xFFFF", "(total - tail) & 0xFFFF")},
        check="check_trim",
        says="& 0xffff loses the borrow, which must come back in as carries do: add the inverse, and fold.",
    ),
    "adds the tail": Bad(
        {"trim": TRIM.replace("(total - tail) % 0xFFFF", "fold(total + tail)")},
        check="check_trim",
        says="that adds the tail once more: add its inverse.",
    ),
    "sends the zero": Bad(
        {"udp_checksum": UDP.replace("        checksum = 0xFFFF\n", "        pass\n")},
        check="check_udp_checksum",
        says="0 on the wire means that there is no checksum; a computed 0 goes out as 0xffff.",
    ),
    "adds the old checksum, too": Bad(
        {"udp_checksum": UDP.replace("    empty[6] = empty[7] = 0\n", "")},
        check="check_udp_checksum",
        says="what stands in the field counts as zero: leave bytes 6 and 7 out.",
    ),
    "forgets the pseudo-header": Bad(
        {"udp_checksum": UDP.replace(" + pseudo_sum", "")},
        check="check_udp_checksum",
        says="the pseudo-header belongs into it: add pseudo_sum.",
    ),
    "makes it again and compares": Bad(
        {
            "udp_verdict": "def udp_verdict(datagram, pseudo_sum):\n"
            "    field = int.from_bytes(datagram[6:8], 'big')\n"
            "    if field == 0:\n"
            "        return 'none'\n"
            "    made = fold(sum_of(datagram[:6] + datagram[8:]) + pseudo_sum) ^ 0xFFFF\n"
            "    return 'right' if made == field else 'wrong'"
        },
        check="check_udp_verdict",
        says="0xffff is the other zero: add it all up, and do not compare the field with a computed 0.",
    ),
    "no checksum is a wrong one": Bad(
        {"udp_verdict": VERDICT.replace('        return "none"\n', '        return "wrong"\n')},
        check="check_udp_verdict",
        says="0 in the field says that the sender made no checksum: that is neither right nor wrong.",
    ),
    "a right sum is 0": Bad(
        {
            "udp_verdict": "def udp_verdict(datagram, pseudo_sum):\n"
            "    if datagram[6:8] == bytes(2):\n"
            "        return 'none'\n"
            "    return 'wrong' if fold(sum_of(datagram) + pseudo_sum) else 'right'"
        },
        check="check_udp_verdict",
        says="with its checksum in it, a right datagram and its pseudo-header add up to 0xffff.",
    ),
}
