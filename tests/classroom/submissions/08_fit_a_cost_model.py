"""Submissions to exercise 08: what goes wrong when a figure is a number, or a range is two numbers."""

from submissions_support import Bad, Good

TIMES = """
def frame_times(rates, payload):
    slowest, fastest = (1000 * 8 * payload / Fraction(rate) for rate in (rates.low, rates.high))
    return Interval(fastest, slowest)
"""
AT = """
def time_at(big, small, payload):
    found = []
    for one in (big.times.low, big.times.high):
        for other in (small.times.low, small.times.high):
            slope = (one - other) / (big.payload - small.payload)
            found.append(other + slope * (payload - small.payload))
    return Interval(min(found), max(found))
"""
FIT = """
def fit(big, small):
    run = big.payload - small.payload
    flat, steep = big.times.low - small.times.high, big.times.high - small.times.low
    return time_at(big, small, 0), Interval(flat / run, steep / run)
"""
PREDICT = """
def predict(big_before, big_after, small_after):
    longest = small_after.times.high + big_before.times.high - big_after.times.low
    shortest = small_after.times.low + big_before.times.low - big_after.times.high
    return frame_times(Interval(shortest, longest), small_after.payload)
"""
JUDGE = """
def judge(predicted, printed):
    agrees = predicted.low <= printed.high and printed.low <= predicted.high
    low, high = predicted.low / printed.high, predicted.high / printed.low
    return agrees, Interval(100 * low - 100, 100 * high - 100)
"""
SLOPE = "Interval(flat / run, steep / run)"
MEETS = "predicted.low <= printed.high and printed.low <= predicted.high"
SPLITS = """
def splits(point):
    most = point.times.high
    return Interval(0, most), Interval(0, most / point.payload)
"""
SHARE = """
def per_byte_share(big, small, payload):
    def share(long, short):
        slope = (long - short) / (big.payload - small.payload)
        return slope * payload / (short + slope * (payload - small.payload))

    flat, steep = share(big.times.low, small.times.high), share(big.times.high, small.times.low)
    return Interval(min(flat, steep), max(flat, steep))
"""
NAIVE_AT = """
def time_at(big, small, payload):
    run = big.payload - small.payload
    slope = (big.times - small.times).scaled(Fraction(1, run))
    one = big.times.scaled(Fraction(-small.payload, run))
    other = small.times.scaled(Fraction(big.payload, run))
    fixed = Interval(one.low + other.low, one.high + other.high)
    return Interval(fixed.low + slope.low * payload, fixed.high + slope.high * payload)
"""
SAME_ENDS_AT = """
def time_at(big, small, payload):
    weight = Fraction(payload - small.payload, big.payload - small.payload)
    ends = [
        weight * getattr(big.times, end) + (1 - weight) * getattr(small.times, end) for end in ("low", "high")
    ]
    return Interval(min(ends), max(ends))
"""
MIDDLES_AT = """
def time_at(big, small, payload):
    one, other = ((p.times.low + p.times.high) / 2 for p in (big, small))
    slope = (one - other) / (big.payload - small.payload)
    time = other + slope * (payload - small.payload)
    return Interval(time, time)
"""

SUBMISSIONS = {
    "ends by hand, and brute force": Good(
        {
            "frame_times": TIMES,
            "time_at": AT,
            "fit": FIT,
            "predict": PREDICT,
            "judge": JUDGE,
            "splits": SPLITS,
            "per_byte_share": SHARE,
        }
    ),
    "the ends stay where they are": Bad(
        {
            "frame_times": "def frame_times(rates, payload):\n"
            "    low, high = 8000 * payload / rates.low, 8000 * payload / rates.high\n"
            "    return Interval(low, high)"
        },
        check="check_frame_times",
        says=(
            "Saw: ValueError: an interval goes upwards, not from 80000 to 40000, in line 3 of "
            "frame_times: return Interval(low, high)"
        ),
    ),
    "microseconds": Bad(
        {"frame_times": TIMES.replace("1000 * 8", "8")},
        check="check_frame_times",
        says="that is µs: a bit at 1 Mbit/s takes 1 µs, or 1000 ns.",
    ),
    "a byte is a bit": Bad(
        {"frame_times": TIMES.replace("1000 * 8", "1000")},
        check="check_frame_times",
        says="a byte has 8 bits.",
    ),
    "the middle of the figure": Bad(
        {
            "frame_times": "def frame_times(rates, payload):\n"
            "    time = 8000 * payload * 2 / (rates.low + rates.high)\n"
            "    return Interval(time, time)"
        },
        check="check_frame_times",
        says="a printed figure is an interval: the slowest rate gives the longest time.",
    ),
    "fixed plus per byte, end by end": Bad(
        {"time_at": NAIVE_AT},
        check="check_time_at",
        says=(
            "wider than the figures allow: fixed and per byte come from the same two figures, and "
            "each may stand in the answer once, with one weight."
        ),
    ),
    "from the small figure upwards": Bad(
        {
            "time_at": "def time_at(big, small, payload):\n"
            "    slope = (big.times - small.times).scaled(Fraction(1, big.payload - small.payload))\n"
            "    low, high = sorted(end * (payload - small.payload) for end in (slope.low, slope.high))\n"
            "    return Interval(small.times.low + low, small.times.high + high)"
        },
        check="check_time_at",
        says=(
            "wider than the figures allow: fixed and per byte come from the same two figures, and "
            "each may stand in the answer once, with one weight."
        ),
    ),
    "low ends with low ends": Bad(
        {"time_at": SAME_ENDS_AT},
        check="check_time_at",
        says=(
            "outside the two sizes one weight is negative, and what lengthens that figure shortens "
            "the answer."
        ),
        also=("check_fit",),
    ),
    "a line through the middles": Bad(
        {"time_at": MIDDLES_AT},
        check="check_time_at",
        says="from intervals comes an interval: both ends of both figures count.",
        also=("check_fit",),
    ),
    "no time below zero": Bad(
        {
            "time_at": AT.replace(
                "Interval(min(found), max(found))", "Interval(max(0, min(found)), max(0, max(found)))"
            )
        },
        check="check_time_at",
        says="do not cut off below zero: a line that goes there says where it is no model any more.",
    ),
    "per byte first": Bad(
        {"fit": FIT.replace(f"time_at(big, small, 0), {SLOPE}", f"{SLOPE}, time_at(big, small, 0)")},
        check="check_fit",
        says="fixed comes first, per byte second.",
    ),
    "a slope from low to low": Bad(
        {
            "fit": "def fit(big, small):\n"
            "    run = big.payload - small.payload\n"
            "    low, high = big.times.low - small.times.low, big.times.high - small.times.high\n"
            "    return time_at(big, small, 0), Interval(low / run, high / run)"
        },
        check="check_fit",
        says="the steepest line goes from the small one's shortest time to the big one's longest.",
    ),
    "per byte from two times of time_at": Bad(
        {
            "fit": "def fit(big, small):\n"
            "    fixed = time_at(big, small, 0)\n"
            "    return fixed, time_at(big, small, 1) - fixed"
        },
        check="check_fit",
        says=(
            "per byte is too wide: subtract the two figures themselves, then divide by the bytes that "
            "lie between."
        ),
    ),
    "fixed from per byte and the big frames": Bad(
        {
            "fit": "def fit(big, small):\n"
            "    slope = (big.times - small.times).scaled(Fraction(1, big.payload - small.payload))\n"
            "    return big.times - slope.scaled(big.payload), slope"
        },
        check="check_fit",
        says="per byte is right. Fixed is the time of a frame without payload: use time_at.",
    ),
    "the saving from low to low": Bad(
        {
            "predict": "def predict(big_before, big_after, small_after):\n"
            "    one, other = big_before.times, big_after.times\n"
            "    saved = (one.low - other.low, one.high - other.high)\n"
            "    times = Interval(small_after.times.low + min(saved), small_after.times.high + max(saved))\n"
            "    return frame_times(times, small_after.payload)"
        },
        check="check_predict",
        says="too narrow: one figure may be rounded up and the other down; subtract intervals.",
    ),
    "the saving taken off": Bad(
        {
            "predict": "def predict(big_before, big_after, small_after):\n"
            "    times = small_after.times - (big_before.times - big_after.times)\n"
            "    return frame_times(times, small_after.payload)"
        },
        check="check_predict",
        says="before the patch a frame takes longer, not shorter: add the saving.",
    ),
    "the saving forgotten": Bad(
        {
            "predict": "def predict(big_before, big_after, small_after):\n"
            "    return frame_times(small_after.times, small_after.payload)"
        },
        check="check_predict",
        says="that is the rate after the patch; before it, each frame takes the saving longer.",
    ),
    "a time for a rate": Bad(
        {
            "predict": PREDICT.replace(
                "frame_times(Interval(shortest, longest), small_after.payload)", "Interval(shortest, longest)"
            )
        },
        check="check_predict",
        says="that is a time; a rate is 8000 times payload over it.",
    ),
    "must lie inside": Bad(
        {"judge": JUDGE.replace(MEETS, "printed.low <= predicted.low and predicted.high <= printed.high")},
        check="check_judge",
        says="they agree when some number lies in both, however little they overlap.",
    ),
    "compares the middles": Bad(
        {
            "judge": JUDGE.replace(
                MEETS, "printed.low <= (predicted.low + predicted.high) / 2 <= printed.high"
            )
        },
        check="check_judge",
        says="they agree when some number lies in both, however little they overlap.",
    ),
    "a residual in Mbit/s": Bad(
        {"judge": "def judge(predicted, printed):\n    return predicted.meets(printed), predicted - printed"},
        check="check_judge",
        says="the residual is in percent of the printed figure, not in Mbit/s.",
    ),
    "all of it is fixed": Bad(
        {"splits": "def splits(point):\n    return point.times, Interval(0, 0)"},
        check="check_splits",
        says="all of it fixed is one split; all of it per byte is another, and so is everything between.",
    ),
    "both are everything": Bad(
        {
            "splits": "def splits(point):\n    all_of_it = point.times\n"
            "    return all_of_it, all_of_it.scaled(Fraction(1, point.payload))"
        },
        check="check_splits",
        says="each of the two may be 0: then the other one is all of the time.",
    ),
    "up to the shortest time": Bad(
        {"splits": SPLITS.replace("point.times.high", "point.times.low")},
        check="check_splits",
        says="the longest time that the rounding allows is the limit, not the shortest.",
    ),
}
