"""Submissions to exercise 09: tests that learners write. A test that earns some points fails no check, so the
weak ones that catch a part stand in ``test_hunt.py``; the bad ones here earn nothing."""

from submissions_support import Bad, Good

ONE_BIG_NUMBER = """
def test_header(lab):
    mine = bytearray(range(200, 228))
    for pos, width, value in [(0, 32, 1 << 31), (62, 9, 0x155), (62, 9, 0), (195, 29, 5), (7, 1, 1)]:
        whole = int.from_bytes(mine, "big")
        expected = whole & ~((1 << width) - 1 << pos) | value << pos
        lab.set_field(mine, pos, width, value)
        assert int.from_bytes(mine, "big") == expected
        assert lab.get_field(mine, pos, width) == value
    before = bytes(mine)
    for pos, width, value in [(100, 3, 8), (216, 9, 0)]:
        try:
            lab.set_field(mine, pos, width, value)
        except ValueError:
            pass
        else:
            raise AssertionError("not refused")
        assert mine == before
    assert lab.ocelot_header(11).hex() == "80000000000000000000" + "580000000000"
    sync = int.from_bytes(lab.sync_header(2, "IPv6"), "big")
    assert sync == (1 << 191) + (1 << 64) + (3 << 163) + (8 << 158)
"""
A_DAY = """
def test_ptp(lab):
    day = 24 * 3600
    assert lab.elapsed_ns(day * 165_625_000) // 1000 == day * 1_000_000
    assert lab.rx_time((7, 0), 1) == (6, 1) and lab.rx_time((7, 1), 1) == (7, 1)
    for kind, control in [(0, 5), (1, 0), (8, 0), (9, 0), (0xB, 0)]:
        message = bytearray(34)
        message[0], message[32] = kind | 0x10, control
        assert lab.message_type(bytes(message)) == kind
    times = lab.TxTimes(1, 100)
    assert times.request(1, 0)
    assert times.request(2, 500), "the place is free again"
    times.arrived(1, 600)
    times.arrived(2, 700)
    assert (times.time_of(1), times.time_of(2)) == (None, 700)
    queue = [(False, 0, 0)] * 3 + [(True, 9, 90)]
    assert lab.drain(queue, 2) == [] and len(queue) == 2
    assert lab.drain(queue) == [(9, 90)]
"""
ROUND_AND_ROUND = """
def test_rings(lab):
    ring = lab.RxRing()
    ring.open()
    for number in range(40):
        if number % 9 == 0:
            ring.close()
            assert not ring.mapped
            ring.open()
        good, port = bytes([number]) * (60 + number), number % 8
        assert ring.arrive(bytes(5), port)
        assert ring.arrive(good, 8 + port)
        assert ring.poll() == []
        ring.short_of_memory = number % 2
        assert ring.arrive(good, port)
        assert ring.poll() == ([] if number % 2 else [(port, good)])
        assert len(ring.mapped) == 4
    sender = lab.TxRing(5)
    for number in range(12):
        assert sender.send(bytes([number])), number
        assert sender.clean() == [bytes([number])]
"""
TWO_POLLS = """
def test_polling(lab):
    for locked in (False, True):
        assert lab.wait_ready(lab.Device(25_000, 90_000, locked=locked), 30_000) is True
        assert lab.wait_ready(lab.Device(900_000, locked=locked), 30_000) is False
    for waits in range(4):
        assert lab.read_word(lab.Fifo(*[lab.NOT_READY] * waits, 5, 6)) == 5
    ring = lab.Ring(*"abcdefgh")
    counts = [(lab.poll(ring, 5), ring.completed, ring.running) for _ in range(2)]
    assert counts == [(5, 0, True), (3, 1, True)]
    assert "".join(ring.delivered) == "abcdefgh" and not ring.stranded
"""
ALL_CUTS = """
def test_checksums(lab):
    data = bytes.fromhex("ff ff ff ff 00 01 f2 03 f4 f5 f6 f7 11")
    words = [int.from_bytes((data + b"\\0")[i : i + 2], "big") for i in range(0, 14, 2)]
    whole = sum(words) % 0xFFFF
    assert lab.ones_sum(data) == whole
    assert lab.ones_sum(b"\\xff" * 4 + b"\\0\\1") == 1
    for at in range(1, 13):
        left, right = lab.ones_sum(data[:at]), lab.ones_sum(data[at:])
        assert lab.combine(left, right, at) % 0xFFFF == whole
        assert lab.remove(whole, right, at) % 0xFFFF == left % 0xFFFF
    # an update that makes the sum all ones
    assert lab.update(0x0F00, 0x4500, 0x5400) == 0
    assert [lab.udp_field(total) for total in (1, 0xFFFF)] == [0xFFFE, 0xFFFF]
    header = bytes([0x46, 0, 0, 25, *range(20)])
    assert lab.segment(header + b"x" + bytes(20)) == b"x"
    assert lab.appended_sum([b"abcd", b"efgh"]) == 0x6867
"""

ALWAYS = "It fails on all 7 faulty ones, too: what always fails says nothing."

SUBMISSIONS = {
    "one big number beside the header": Good({"test_header": ONE_BIG_NUMBER}),
    "a day of the clock, one place": Good({"test_ptp": A_DAY}),
    "forty rounds": Good({"test_rings": ROUND_AND_ROUND}),
    "two polls": Good({"test_polling": TWO_POLLS}),
    "every cut": Good({"test_checksums": ALL_CUTS}),
    "all of them": Good(
        {
            "test_header": ONE_BIG_NUMBER,
            "test_ptp": A_DAY,
            "test_rings": ROUND_AND_ROUND,
            "test_polling": TWO_POLLS,
            "test_checksums": ALL_CUTS,
        }
    ),
    "a part is enough": Good(
        {"test_ptp": "def test_ptp(lab):\n    assert lab.rx_time((3, 0), 9) == (2, 9)\n"},
    ),
    "there and back, and no more": Bad(
        {
            "test_header": (
                "def test_header(lab):\n    header = bytearray(28)\n    lab.set_field(header, 62, 9, 5)\n"
                "    assert lab.get_field(header, 62, 9) == 5\n"
            )
        },
        check="check_test_header",
        says="It asserts what every version does, right or faulty.",
    ),
    "the second is not borrowed by the test itself": Bad(
        {"test_ptp": "def test_ptp(lab):\n    assert lab.rx_time((100, 5), 400) == (100, 400)\n"},
        check="check_test_ptp",
        says="Last call: lab.rx_time((100, 5), 400) gave (99, 400)",
    ),
    "it prints instead of asserting": Bad(
        {
            "test_rings": (
                "def test_rings(lab):\n    ring = lab.RxRing()\n    ring.open()\n"
                "    ring.arrive(bytes(60))\n    print(len(ring.poll()))\n"
            )
        },
        check="check_test_rings",
        says="It passes even where nothing does anything: it asserts nothing about what it calls.",
    ),
    "assert False": Bad(
        {"test_polling": "def test_polling(lab):\n    lab.read_word(lab.Fifo(1))\n    assert False\n"},
        check="check_test_polling",
        says=ALWAYS,
    ),
    "the wrong byte order": Bad(
        {
            "test_checksums": (
                "def test_checksums(lab):\n    assert lab.appended_sum([b'\\x12\\x34']) == 0x1234\n"
            )
        },
        check="check_test_checksums",
        says="It fails on the right version, in line 2 of the cell: "
        "assert lab.appended_sum([b'\\x12\\x34']) == 0x1234",
    ),
    "it knows the words of an error": Bad(
        {
            "test_header": (
                "def test_header(lab):\n    try:\n        lab.get_field(bytes(4), 30, 4)\n"
                "    except ValueError as error:\n        assert 'header has bits 0 to 31' in str(error)\n"
            )
        },
        check="check_test_header",
        says="It passes on the right version, and fails on a second right version.",
    ),
    "true without the lab": Bad(
        {"test_checksums": "def test_checksums(lab):\n    assert (0xFFFF + 1) % 0xFFFF == 1\n"},
        check="check_test_checksums",
        says="It passes, and calls nothing of the lab: it would pass on every version.",
    ),
}
