"""Submissions to exercise 03: templates that leak, and tests that do not see it."""

from submissions_support import Bad, Good

STALE = (
    "a frame holds what an earlier one has set: the prepared header was changed. Work on a copy, "
    "bytearray(prepared)."
)

SUBMISSIONS = {
    "one big number, and frames at random": Good(
        {
            "what_is_fixed": """
def what_is_fixed(frames):
    pairs = [set(frame.items()) for frame in frames]
    return dict(set.intersection(*pairs)) if pairs else {}
""",
            "prepare": "def prepare(fixed):\n    return TX.encode(fixed)",
            "stamp": """
def stamp(prepared, varying):
    number = int.from_bytes(prepared, "big")
    for name, value in varying.items():
        field = TX[name]
        number = number & ~field.mask | value << field.pos
    return number.to_bytes(28, "big")
""",
            "stamp_into": """
def stamp_into(buffer, prepared, varying):
    header = bytearray(prepared)
    for name in varying:
        put(header, TX[name], varying[name])
    for i in range(28):
        buffer[i] = header[i]
""",
            "leaks": """
import random
def leaks(stamp, fixed):
    dice = random.Random(0)
    kinds = [tasks.PLAIN, tasks.TAGGED, tasks.PTP, tasks.BOTH, {}, {"BYPASS": 0}, dict.fromkeys(fixed, 0)]
    made = []
    for _ in range(500):
        frame = dict(dice.choice(kinds))
        made.append((frame, stamp(frame)))
        for frame, header in made[-3:] + made[:1]:
            if bytes(header) != bytes(TX.encode({**fixed, **frame})):
                return True
    return False
""",
            "stores": """
def stores(fixed, varying):
    count = lambda names: sum(len(TX[name].bytes_in(28)) for name in names)
    return 28 + count(fixed) + count(varying), 28 + count(varying)
""",
        }
    ),
    "takes a missing field for fixed": Bad(
        {
            "what_is_fixed": """
def what_is_fixed(frames):
    every = {name for frame in frames for name in frame}
    return {
        name: next(frame[name] for frame in frames if name in frame)
        for name in every
        if len({frame[name] for frame in frames if name in frame}) == 1
    }
"""
        },
        check="check_what_is_fixed",
        says="a field that a frame does not set is 0 in its header; so a field that is missing somewhere "
        "is not fixed.",
    ),
    "compares with the second frame only": Bad(
        {
            "what_is_fixed": """
def what_is_fixed(frames):
    if len(frames) < 2:
        return dict(frames[0]) if frames else {}
    return {name: value for name, value in frames[0].items() if frames[1].get(name) == value}
"""
        },
        check="check_what_is_fixed",
        says="this looks at the first two frames only.",
    ),
    "patches in place": Bad(
        {
            "stamp": """
def stamp(prepared, varying):
    header = prepared
    for name, value in varying.items():
        put(header, TX[name], value)
    return bytes(header)
"""
        },
        check="check_stamp",
        says=STALE,
        also=("check_stamp_into",),
    ),
    "skips zeros": Bad(
        {
            "stamp": """
def stamp(prepared, varying):
    header = bytearray(prepared)
    for name, value in varying.items():
        if value:
            put(header, TX[name], value)
    return header
"""
        },
        check="check_stamp",
        says="a 0 was skipped where the prepared header holds something else; 0 is a value, too.",
        also=("check_stamp_into",),
    ),
    "keeps one buffer for all": Bad(
        {
            "stamp": """
scratch = bytearray(28)
def stamp(prepared, varying):
    scratch[:] = prepared
    for name, value in varying.items():
        put(scratch, TX[name], value)
    return scratch
"""
        },
        check="check_stamp",
        says="the headers changed after they were handed out: all of them are one buffer; make a new one "
        "for each frame.",
    ),
    "ORs two headers": Bad(
        {
            "stamp": """
def stamp(prepared, varying):
    return bytes(a | b for a, b in zip(prepared, prepare(varying)))
"""
        },
        check="check_stamp",
        says="old and new bits are mixed; put replaces a field, | does not.",
        also=("check_stamp_into",),
    ),
    "forgets to copy the template": Bad(
        {
            "stamp_into": """
def stamp_into(buffer, prepared, varying):
    header = buffer[:28]
    for name, value in varying.items():
        put(header, TX[name], value)
    buffer[:28] = header
"""
        },
        check="check_stamp_into",
        says="the bits of the header before are still there; put the prepared header over them first.",
    ),
    "puts into the whole buffer": Bad(
        {
            "stamp_into": """
def stamp_into(buffer, prepared, varying):
    buffer[:28] = prepared
    for name, value in varying.items():
        put(buffer, TX[name], value)
"""
        },
        check="check_stamp_into",
        says="the frame has changed: put takes the last bit of what it gets for bit 0. Give it a header of "
        "28 bytes, not the whole buffer.",
    ),
    "replaces the frame, too": Bad(
        {
            "stamp_into": """
def stamp_into(buffer, prepared, varying):
    buffer[:] = stamp(prepared, varying)
"""
        },
        check="check_stamp_into",
        says="the buffer is shorter than before: buffer[:] = … replaces all of it, frame included.",
    ),
    "makes a new buffer": Bad(
        {
            "stamp_into": """
def stamp_into(buffer, prepared, varying):
    buffer = bytearray(stamp(prepared, varying)) + buffer[28:]
"""
        },
        check="check_stamp_into",
        says="nothing has changed; write into the buffer that you are given, buffer[:28] = …",
    ),
    "tests one frame": Bad(
        {
            "leaks": """
def leaks(stamp, fixed):
    return bytes(stamp(tasks.BOTH)) != TX.encode({**fixed, **tasks.BOTH})
"""
        },
        check="check_leaks",
        says="your test does not see it: it patches the prepared header itself.",
    ),
    "looks at each header at once": Bad(
        {
            "leaks": """
def leaks(stamp, fixed):
    kinds = [tasks.PLAIN, tasks.TAGGED, tasks.PTP, tasks.BOTH, {}, dict.fromkeys(fixed, 0)]
    for one in kinds:
        for other in kinds:
            for frame in (one, other):
                if bytes(stamp(frame)) != TX.encode({**fixed, **frame}):
                    return True
    return False
"""
        },
        check="check_leaks",
        says="your test does not see it: all of its headers are one buffer; keep some, and look at them "
        "again later.",
    ),
    "never sets a fixed field to 0": Bad(
        {
            "leaks": """
def leaks(stamp, fixed):
    kinds = [tasks.PLAIN, tasks.TAGGED, tasks.PTP, tasks.BOTH, {}] * 3
    made = [(stamp(a), a) for b in kinds for a in (b, {}, tasks.PLAIN)]
    return any(bytes(header) != TX.encode({**fixed, **frame}) for header, frame in made)
"""
        },
        check="check_leaks",
        says="your test does not see it: it takes a 0 for nothing to do; set a fixed field to 0 for once.",
    ),
    "wants bytes and nothing else": Bad(
        {
            "leaks": """
def leaks(stamp, fixed):
    kinds = [tasks.PLAIN, tasks.TAGGED, tasks.PTP, tasks.BOTH, {}, dict.fromkeys(fixed, 0)]
    made = [(stamp(frame), frame) for one in kinds for frame in (one, *kinds)]
    return any(repr(header) != repr(TX.encode({**fixed, **frame})) for header, frame in made)
"""
        },
        check="check_leaks",
        says="this one is right: every header is what its frame asks for. Compare bytes(header) with what "
        "TX.encode makes of fixed and varying.",
    ),
    "counts bytes by the width": Bad(
        {
            "stores": """
def stores(fixed, varying):
    size = lambda names: sum((TX[name].width + 7) // 8 for name in names)
    return 28 + size(fixed) + size(varying), 28 + size(varying)
"""
        },
        check="check_stores",
        says="that counts bytes by the width; a field that crosses the edge of a byte stores one more.",
    ),
    "forgets that a copy stores": Bad(
        {
            "stores": """
def stores(fixed, varying):
    size = lambda names: sum(len(TX[name].bytes_in(28)) for name in names)
    return 28 + size(fixed) + size(varying), size(varying)
"""
        },
        check="check_stores",
        says="the copy of the prepared header stores 28 bytes, too.",
    ),
}
