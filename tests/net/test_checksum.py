"""The Internet checksum against other people's code, the RFCs' examples, and real faults."""

import array
import itertools
import random

import dpkt
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lan966x_lab import data_path
from lan966x_lab.net import batch, captures, checksum
from lan966x_lab.net.checksum import (
    WAYS,
    combine,
    fold,
    internet_checksum,
    ones_sum,
    ones_sum_batch,
    pseudo_header_sum,
    remove,
    udp_checksum,
    update,
    word_by_word,
)

RFC_1071 = bytes.fromhex("0001f203f4f5f6f7")
DATA = st.one_of(
    st.binary(max_size=80),
    st.binary(max_size=5000),
    st.builds(
        lambda octet, n: bytes([octet]) * n, st.sampled_from([0, 0xFF, 0x55, 0x80]), st.integers(0, 5000)
    ),
)
WORD = st.one_of(st.integers(0, 0xFFFF), st.sampled_from([0, 1, 0xFF, 0x100, 0xFFFE, 0xFFFF]))


def adder(data: bytes, start: int = 0) -> int:
    """A 16-bit adder whose carry wire is bent back to its input: the definition, word by word."""
    words = [int.from_bytes(data[i : i + 2].ljust(2, b"\0"), "big") for i in range(0, len(data), 2)]
    while start:
        words.append(start & 0xFFFF)
        start >>= 16
    total = 0
    for word in words:
        total += word
        if total > 0xFFFF:
            total -= 0xFFFF
    return total


class TestOnesSum:
    def test_the_example_of_rfc_1071(self) -> None:
        assert ones_sum(RFC_1071) == 0xDDF2
        assert internet_checksum(RFC_1071) == 0x220D

    def test_nothing_but_zero_bytes_is_zero_and_other_zeros_are_ffff(self) -> None:
        assert ones_sum(b"") == ones_sum(bytes(1499)) == ones_sum(bytes(65536)) == 0
        assert ones_sum(b"\xff\xff") == ones_sum(b"\xff" * 1500) == ones_sum(b"\xff" * 65536) == 0xFFFF
        assert ones_sum(b"", 0xFFFF) == ones_sum(bytes(3000), 0xFFFF) == 0xFFFF

    def test_an_odd_last_byte_stands_on_the_left(self) -> None:
        assert ones_sum(b"\x01") == 0x0100
        assert ones_sum(b"\x00\x01\x02") == 0x0201

    @given(DATA, st.integers(0, 1 << 40))
    @example(b"", 0)
    @example(b"\xff\xff", 1)
    def test_is_the_adder_with_end_around_carry(self, data: bytes, start: int) -> None:
        assert ones_sum(data, start) == adder(data, start)

    def test_every_prefix_on_top_of_an_unfolded_sum(self) -> None:
        data = random.Random(0).randbytes(513)
        for n in range(len(data)):
            assert ones_sum(data[:n], 0x0284_7AAB) == adder(data[:n], 0x0284_7AAB)

    @pytest.mark.parametrize("fill", [None, 0, 0xFF])
    def test_every_length_around_the_borders(self, fill: int | None) -> None:
        longest = random.Random(1).randbytes(65537) if fill is None else bytes([fill]) * 65537
        for n in (*range(70), 1499, 1500, *range(2040, 2060), 9000, 65535, 65536, 65537):
            assert ones_sum(longest[:n]) == adder(longest[:n])

    @given(DATA)
    def test_scapy_and_dpkt_agree(self, data: bytes) -> None:
        scapy = pytest.importorskip("scapy.utils")
        assert internet_checksum(data) == scapy.checksum(data) == dpkt.dpkt.in_cksum(data)

    @given(DATA)
    def test_all_ways_agree(self, data: bytes) -> None:
        assert {name: way(data) for name, way in WAYS.items()} == dict.fromkeys(WAYS, adder(data))

    @pytest.mark.parametrize("size", [0, 1, 2, 7, 64, 1499, 4097])
    def test_any_bytes_like_object(self, size: int) -> None:
        data = random.Random(2).randbytes(size)
        want = adder(data)
        spread = bytes(itertools.chain.from_iterable(zip(data, data[::-1], strict=True)))
        for same in (
            bytearray(data),
            memoryview(data),
            memoryview(bytearray(data)),
            memoryview(spread)[::2],
            memoryview(data[::-1])[::-1],
            np.frombuffer(data, np.uint8),
            np.frombuffer(spread, np.uint8)[::2],
            array.array("B", data),
        ):
            assert ones_sum(same) == want

    def test_elements_of_other_sizes_count_with_all_their_bytes(self) -> None:
        words = array.array("I", range(900))
        assert ones_sum(memoryview(words)) == ones_sum(np.asarray(words)) == adder(words.tobytes())
        grid = memoryview(bytes(range(24))).cast("B", (4, 6))
        assert ones_sum(grid) == adder(bytes(range(24)))
        assert ones_sum(np.arange(24, dtype=np.uint8).reshape(4, 6).T) == adder(
            np.arange(24, dtype=np.uint8).reshape(4, 6).T.tobytes()
        )

    @pytest.mark.parametrize("data", ["text", [1, 2], 7, None])
    def test_refuses_what_is_not_bytes_like(self, data: object) -> None:
        with pytest.raises(TypeError, match="bytes-like"):
            ones_sum(data)  # type: ignore[arg-type]

    def test_refuses_a_start_that_is_no_sum(self) -> None:
        with pytest.raises(ValueError, match="start is -1: allowed 0 or more"):
            ones_sum(b"", -1)
        with pytest.raises(TypeError):
            ones_sum(b"", 1.5)  # type: ignore[arg-type]
        assert ones_sum(b"", np.uint16(0xFFFF)) == 0xFFFF  # type: ignore[arg-type]

    def test_the_byte_order_of_the_computer_does_not_matter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = random.Random(3).randbytes(2999)
        frames, lengths = batch.stack([data[:n] for n in (0, 1, 2, 3, 2999)])
        want = ones_sum(data), ones_sum_batch(frames, lengths).tolist()
        for order, swapped in ((">u4", False), ("<u4", True)):
            monkeypatch.setattr(checksum, "_WORD", np.dtype(order))
            monkeypatch.setattr(checksum, "_SWAPPED", swapped)
            assert (ones_sum(data), ones_sum_batch(frames, lengths).tolist()) == want


class TestWordByWord:
    @given(DATA)
    def test_it_ends_with_the_sum_in_either_byte_order(self, data: bytes) -> None:
        ends = {order: [0, *(a.after for a in word_by_word(data, order))][-1] for order in ("big", "little")}
        assert ends["big"] == adder(data)
        assert ends["little"].to_bytes(2, "little") == ends["big"].to_bytes(2, "big")

    @given(DATA)
    def test_each_step_starts_where_the_last_one_ended_and_loses_nothing(self, data: bytes) -> None:
        additions = list(word_by_word(data))
        assert len(additions) == (len(data) + 1) // 2
        assert [a.before for a in additions[1:]] == [a.after for a in additions[:-1]]
        for before, _, carry, after in additions:
            assert 0 <= before <= 0xFFFF
            assert carry in (0, 1)
            assert after <= 0xFFFF
        assert all(a.before + a.word == a.after + 0xFFFF * a.carry for a in additions)

    def test_the_example_of_rfc_1071(self) -> None:
        assert [tuple(a) for a in word_by_word(RFC_1071)] == [
            (0x0000, 0x0001, 0, 0x0001),
            (0x0001, 0xF203, 0, 0xF204),
            (0xF204, 0xF4F5, 1, 0xE6FA),
            (0xE6FA, 0xF6F7, 1, 0xDDF2),
        ]


class TestFold:
    @pytest.mark.parametrize(
        ("total", "checksum_once", "checksum_right"),
        [
            (0x1FFFF, 0xFFFF, 0xFFFE),
            (0x3FFFF, 0xFFFD, 0xFFFC),
            (0x1FFFE, 0x0000, 0x0000),
            (0x2DDF0, 0x220D, 0x220D),
        ],
    )
    def test_folds_as_often_as_it_takes(self, total: int, checksum_once: int, checksum_right: int) -> None:
        once = (total & 0xFFFF) + (total >> 16)
        assert ~once & 0xFFFF == checksum_once
        assert ~fold(total) & 0xFFFF == checksum_right

    def test_keeps_what_is_folded(self) -> None:
        assert [fold(n) for n in range(0x10000)] == list(range(0x10000))


class TestUpdate:
    def test_the_example_of_rfc_1624(self) -> None:
        assert update(0xDD2F, 0x5555, 0x3285) == 0x0000  # equation 2 gives 0xffff here

    def test_the_counterexample_of_erratum_4782_is_none(self) -> None:
        assert update(0x0000, 0x5555, 0x5555) == 0x0000

    @given(st.lists(WORD, min_size=1, max_size=20), st.data())
    def test_equals_the_checksum_taken_anew(self, words: list[int], data: st.DataObject) -> None:
        words.append(1)  # not all zero: there equation 3 gives the other zero
        where, new = data.draw(st.integers(0, len(words) - 2)), data.draw(WORD)
        before = internet_checksum(b"".join(word.to_bytes(2, "big") for word in words))
        after = [*words[:where], new, *words[where + 1 :]]
        assert update(before, words[where], new) == internet_checksum(
            b"".join(word.to_bytes(2, "big") for word in after)
        )

    @pytest.mark.parametrize("bad", [-1, 0x10000])
    @pytest.mark.parametrize("name", ["checksum", "old", "new"])
    def test_refuses_what_is_no_word(self, name: str, bad: int) -> None:
        with pytest.raises(ValueError, match=rf"{name} is {bad}: allowed 0 to 0xffff; fold it first"):
            update(**{"checksum": 0, "old": 0, "new": 0, name: bad})


class TestPieces:
    def test_an_odd_piece_before_another(self) -> None:
        left, right = RFC_1071[:3], RFC_1071[3:]
        assert combine(ones_sum(left), ones_sum(right), len(left)) == 0xDDF2
        assert combine(ones_sum(left), ones_sum(right), 0) == 0xE2ED  # what forgetting the odd offset gives

    def test_trimming_a_frame_check_sequence_from_an_odd_offset(self) -> None:
        tail = ones_sum(bytes.fromhex("4e0a9040"))
        assert remove(0xC94A, tail, 61) == 0x7E6C
        assert remove(0xC94A, tail, 60) == 0xEAFF  # what forgetting the odd offset gives

    @given(DATA, DATA)
    def test_combine_is_the_sum_of_the_whole(self, left: bytes, right: bytes) -> None:
        assert combine(ones_sum(left), ones_sum(right), len(left)) == ones_sum(left + right)

    @given(st.lists(st.binary(max_size=9), max_size=12))
    def test_a_chain_of_pieces(self, pieces: list[bytes]) -> None:
        total = length = 0
        for piece in pieces:
            total, length = combine(total, ones_sum(piece), length), length + len(piece)
        assert total == ones_sum(b"".join(pieces))

    @given(DATA, DATA)
    @example(bytes(4), b"\x12\x34")
    @example(b"\xff\xff", bytes(3))
    @example(b"\xff\xff", b"\xff\xff")
    @example(b"", b"")
    def test_remove_is_the_sum_of_what_is_left(self, head: bytes, tail: bytes) -> None:
        left = remove(ones_sum(head + tail), ones_sum(tail), len(head))
        if len(head) > 1 and any(tail) and not any(head):
            assert left == 0xFFFF  # the one case that sums cannot tell from a zero of ones
        else:
            assert left == ones_sum(head)

    @given(DATA)
    def test_nothing_or_one_byte_before_the_tail_is_told_exactly(self, data: bytes) -> None:
        """At offset 0 and 1 the sums say what is left: no byte and no single byte adds up to 0xffff."""
        for cut in range(min(2, len(data) + 1)):
            left = remove(ones_sum(data), ones_sum(data[cut:]), cut)
            assert left == ones_sum(data[:cut])

    @pytest.mark.parametrize("total", [0, 1, 0x1234, 0xFFFF])
    def test_the_whole_is_its_own_tail(self, total: int) -> None:
        assert remove(total, total, 0) == ones_sum(b"") == 0

    def test_both_zeros_of_ones(self) -> None:
        """A tail of zero bytes leaves the sum as it was; from byte 0 on, nothing is left."""
        assert remove(0xFFFF, 0, 2) == 0xFFFF
        assert remove(0xFFFF, 0, 0) == remove(0, 0xFFFF, 0) == 0
        assert remove(0, 0, 0) == remove(0, 0, 2) == 0

    @given(DATA)
    def test_every_cut_of_a_whole(self, data: bytes) -> None:
        for cut in {0, 1, 2, 3, len(data) // 2, len(data) - 1, len(data)}:
            if 0 <= cut <= len(data):
                left, right = ones_sum(data[:cut]), ones_sum(data[cut:])
                assert combine(left, right, cut) == ones_sum(data)
                assert remove(ones_sum(data), right, cut) % 0xFFFF == left % 0xFFFF

    @pytest.mark.parametrize("integer", [np.uint16, np.uint64, np.int32])
    def test_numpy_integers_do_not_overflow(self, integer: type) -> None:
        high, low, odd = integer(0xFFFF), integer(0xFF01), integer(3)
        for result, plain in (
            (combine(high, low, odd), combine(0xFFFF, 0xFF01, 3)),
            (remove(odd, low, odd), remove(3, 0xFF01, 3)),
            (update(odd, low, high), update(3, 0xFF01, 0xFFFF)),
            (fold(high), 0xFFFF),
        ):
            assert (result, type(result)) == (plain, int)

    @pytest.mark.parametrize("call", [lambda: combine(0, 0, 1.0), lambda: update("0", 0, 0)])
    def test_refuses_what_is_no_integer(self, call) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(TypeError):
            call()

    @pytest.mark.parametrize(
        "call",
        [
            lambda: combine(0x10000, 0, 0),
            lambda: combine(0, 0x10000, 0),
            lambda: combine(0, -1, 1),
            lambda: combine(0, 0, -1),
            lambda: remove(0x10000, 0, 0),
            lambda: remove(0, 0x10000, 0),
            lambda: remove(0, 0, -2),
        ],
    )
    def test_refuses_what_is_no_sum_and_no_length(self, call) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(ValueError, match=r"is .*: allowed 0 "):
            call()


class TestPseudoHeader:
    def test_is_the_header_written_out(self) -> None:
        source, destination = bytes([192, 168, 0, 1]), bytes([255, 255, 255, 254])
        assert pseudo_header_sum(source, destination, 17, 0xFFFF) == adder(
            source + destination + bytes([0, 17]) + b"\xff\xff"
        )
        source, destination = bytes(range(16)), bytes(range(240, 256))
        assert pseudo_header_sum(source, destination, 58, 0x12345) == adder(
            source + destination + bytes.fromhex("00012345") + bytes([0, 0, 0, 58])
        )

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ((bytes(4), bytes(16), 6, 20), "4 or of 16 bytes are needed, not 4 and 16"),
            ((bytes(6), bytes(6), 6, 20), "not 6 and 6"),
            ((bytes(4), bytes(4), 256, 20), "protocol is 256: allowed 0 to 0xff"),
            ((bytes(4), bytes(4), 6, 65536), "length is 65536: allowed 0 to 0xffff"),
            ((bytes(16), bytes(16), 6, 1 << 32), "length is 4294967296"),
            ((bytes(16), bytes(16), 6, -1), "length is -1"),
        ],
    )
    def test_refuses(self, arguments: tuple[bytes, bytes, int, int], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            pseudo_header_sum(*arguments)

    def test_udp_sends_a_computed_zero_as_ffff(self) -> None:
        assert internet_checksum(b"\xff\xff") == 0
        assert udp_checksum(b"\xff\xff", 0) == 0xFFFF
        assert udp_checksum(RFC_1071, 0) == 0x220D

    @pytest.mark.parametrize(
        ("name", "partial"), [("iperf3-tcp4-csum-ok.pcap", False), ("iperf3-tcp4-csum-partial.pcap", True)]
    )
    def test_every_tcp_frame_of_a_capture(self, name: str, partial: bool) -> None:
        seen = 0
        for frame in captures.read(data_path("captures", name)).frames:
            ip = dpkt.ethernet.Ethernet(frame).data
            if not isinstance(ip, dpkt.ip.IP) or ip.p != dpkt.ip.IP_PROTO_TCP:
                continue
            segment = frame[14 + 4 * ip.hl : 14 + ip.len]
            pseudo = pseudo_header_sum(ip.src, ip.dst, ip.p, len(segment))
            if partial:
                assert int.from_bytes(segment[16:18], "big") == pseudo
            else:
                assert internet_checksum(segment, pseudo) == 0
            assert internet_checksum(frame[14 : 14 + 4 * ip.hl]) == 0
            seen += 1
        assert seen >= 190


class TestBatch:
    @given(st.lists(DATA, max_size=8), st.integers(0, 5))
    def test_equals_the_sum_of_each_frame_in_any_layout(self, frames: list[bytes], more: int) -> None:
        want = [ones_sum(frame) for frame in frames]
        rows, lengths = batch.stack(frames)
        for layout in (
            rows,
            np.pad(rows, ((0, 0), (0, more))),
            np.pad(rows, ((0, 0), (1, more)))[:, 1:],
            np.asfortranarray(rows),
            rows[:, ::-1].copy()[:, ::-1],
            np.repeat(rows, 2, axis=0)[::2],
        ):
            sums = ones_sum_batch(layout, lengths)
            assert sums.dtype == np.uint16
            assert sums.tolist() == want

    @pytest.mark.parametrize("width", [1, 2, 3, 1499])
    def test_rows_no_longer_than_the_frames(self, width: int) -> None:
        rows = np.random.default_rng(width).integers(0, 256, (400, width), np.uint8)
        assert ones_sum_batch(rows, [width] * 400).tolist() == [ones_sum(row) for row in rows]

    def test_does_not_write_to_the_frames(self) -> None:
        rows, lengths = batch.stack([b"\xff" * 7, b"\x01"])
        rows.flags.writeable = False
        assert ones_sum_batch(rows, lengths).tolist() == [ones_sum(b"\xff" * 7), 0x0100]

    def test_only_columns_up_to_the_longest_length_are_read(self) -> None:
        rows = np.zeros((2, 64), np.uint8)
        rows[:, 60:] = 0xAA
        assert ones_sum_batch(rows, [60, 3]).tolist() == [0, 0]

    def test_starts_from_one_sum_or_one_for_each(self) -> None:
        rows, lengths = batch.stack([RFC_1071, b"", b"\xff"])
        for start in (0, 0xFFFF, 0xFFFF_FFFF, [1, 0, 0x1FFFF], np.array([0, 0xFFFF, 2], np.uint16)):
            want = [
                ones_sum(f, int(s))
                for f, s in zip((RFC_1071, b"", b"\xff"), np.broadcast_to(start, 3), strict=True)
            ]
            assert ones_sum_batch(rows, lengths, start).tolist() == want

    def test_nothing(self) -> None:
        assert ones_sum_batch(np.zeros((0, 64), np.uint8), []).shape == (0,)
        assert ones_sum_batch(*batch.stack([])).shape == (0,)
        assert ones_sum_batch(*batch.stack([b"", b""])).tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("frames", "lengths", "start", "error", "words"),
        [
            (np.zeros((2, 4), np.uint8), [5, 0], 0, ValueError, r"length 5 of frame 0 is not within 0\.\.4"),
            (np.zeros((2, 4), np.uint8), [0, -1], 0, ValueError, "length -1 of frame 1"),
            (np.zeros((2, 4), np.uint8), [0], 0, ValueError, r"need lengths of shape \(2,\), not \(1,\)"),
            (np.zeros((2, 4), np.uint8), [1.0, 2.0], 0, TypeError, "lengths must be integers, not float64"),
            (np.zeros((2, 4), np.uint16), [0, 0], 0, TypeError, "uint8, not uint16; batch.stack"),
            ([b"ab"], [2], 0, TypeError, "uint8, not list; batch.stack"),
            (np.zeros(4, np.uint8), [4], 0, ValueError, r"shape \(N, W\), not \(4,\)"),
            (np.zeros((2, 4), np.uint8), [0, 0], -1, ValueError, "start must lie within"),
            (np.zeros((2, 4), np.uint8), [0, 0], 1 << 32, ValueError, "fold it first"),
            (np.zeros((2, 4), np.uint8), [0, 0], [1], ValueError, "one sum or 2 of them"),
            (np.zeros((2, 4), np.uint8), [0, 0], 0.5, TypeError, "start must be integers"),
        ],
    )
    def test_refuses(self, frames, lengths, start, error, words) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(error, match=words):
            ones_sum_batch(frames, lengths, start)
