"""The explorers of notebook 07 without a browser: their traits are moved, their sentences read."""

from xml.etree import ElementTree

import pytest

from lan966x_lab.net import checksum, frames
from lan966x_lab.workbook.explorers.checksum import PAD_VALUES, AddWords
from lan966x_lab.workbook.explorers.pieces import SAMPLES, TAILS, CutInTwo
from lan966x_lab.workbook.figures.packets import CAPTURES, frames_by_kind, frames_of, parts


def drawn(explorer: AddWords | CutInTwo) -> str:
    """The drawing, which has to be well-formed."""
    drawing = explorer.static().drawing()
    ElementTree.fromstring(drawing)
    return drawing


def test_every_frame_is_of_one_kind() -> None:
    kinds = frames_by_kind()
    assert sum(map(len, kinds.values())) == sum(len(frames_of(name)) for name in CAPTURES.values())
    assert kinds["ipv4 tcp, sender"] == list(frames_of("iperf3-tcp4-csum-partial"))
    assert len(kinds["ipv4 udp ptp"]) == 157
    assert {frames.parse(octets).layers for octets in kinds["ptp"]} == {("ethernet", "ptp")}


class TestParts:
    @pytest.mark.parametrize("name", CAPTURES.values())
    def test_they_cover_every_frame_without_a_gap(self, name: str) -> None:
        for octets in frames_of(name):
            found = parts(frames.parse(octets))
            edges = [0, *(part.stop for part in found)]
            assert [part.start for part in found] == edges[:-1]
            assert edges[-1] == len(octets) - 14

    def test_they_have_the_names_of_the_field(self) -> None:
        acknowledgement = parts(frames.parse(frames_of("iperf3-tcp4-csum-ok")[2] + bytes(3)))
        assert [part[:3] for part in acknowledgement] == [
            ("IPv4 header", 0, 20),
            ("TCP header", 20, 52),
            ("padding", 52, 55),
        ]
        names = [[part.name for part in parts(frames.parse(f))] for f in frames_of("ping-odd")]
        assert names[4] == ["IPv4 header", "ICMP header", "payload"]
        assert names[6] == ["IPv6 header", "ICMPv6 header", "payload"]
        assert names[-1] == ["IPv4 header", "payload"]  # a later fragment
        (message,) = parts(frames.parse(frames_of("ptp-l2-e2e")[0]))
        assert message.name == "PTP message"


class TestAddWords:
    def test_it_says_what_the_last_word_did(self) -> None:
        adder = AddWords()
        assert adder.status == (
            "Word 4 of 26: 0xe2f4 + 0x4000 = 0x122f4, the carry comes round: 0x22f5. "
            "All words come to 0xebd6, and the unit appends eb d6. Verdict: ipv4 right; tcp right."
        )
        assert "the carry comes back in at the low end" in drawn(adder)
        adder.words.value = 5
        assert adder.status.startswith("Word 5 of 26: 0x22f5 + 0x4006 = 0x62fb, no carry.")
        assert "no carry: nothing comes round" in drawn(adder)
        adder.words.value = 0
        assert adder.status.startswith("No word is added yet, the sum is 0x0000.")

    @pytest.mark.parametrize("name", CAPTURES.values())
    def test_the_last_word_ends_with_the_sum(self, name: str) -> None:
        for number in (1, len(frames_of(name))):
            adder = AddWords(name, number)
            adder.words.value = adder.words.max
            total = checksum.ones_sum(frames_of(name)[number - 1][14:])
            assert f"All words come to {total:#06x}" in adder.status
            assert f">0x{total:04x}<" in drawn(adder)

    def test_to_the_next_carry_and_at_last_to_the_end(self) -> None:
        adder, seen = AddWords(words=0), []
        for _ in range(10):
            adder.next.click()
            seen.append(adder.words.value)
        assert seen == [4, 11, 13, 15, 16, 19, 23, 24, 26, 26]

    def test_a_flipped_bit_is_found_and_two_may_not_be(self) -> None:
        adder = AddWords(words=20)
        right = adder.status
        adder.bit.value = 3
        adder.flip.click()
        assert "1 flipped bit." in adder.status
        assert "tcp wrong" in adder.status
        assert "✗ not 0xffff" in drawn(adder)
        word = checksum.ones_sum(adder.packet[38:40])
        adder.words.value = next(  # another word with that bit the other way round
            n for n in range(21, 27) if (checksum.ones_sum(adder.packet[2 * n - 2 : 2 * n]) ^ word) & 8 == 0
        )
        adder.flip.click()
        assert "2 flipped bits." in adder.status
        assert "tcp right" in adder.status
        adder.undo.click()
        adder.words.value = 20
        assert adder.status == right

    def test_a_bit_flipped_twice_is_as_it_was(self) -> None:
        for order in ("big", "little"):
            adder = AddWords("ping-odd", 5, 12)
            adder.order.value = order
            before = adder.packet
            for bit in range(16):
                adder.bit.value = bit
                adder.flip.click()
                changed = int.from_bytes(before[22:24], order) ^ int.from_bytes(adder.packet[22:24], order)
                assert changed == 1 << bit
                assert "title>flipped<" in drawn(adder)
                adder.flip.click()
                assert adder.packet == before

    def test_little_endian_words_give_swapped_sums_and_the_same_two_bytes(self) -> None:
        adder = AddWords()
        assert ">0xebd6<" in drawn(adder)
        adder.order.value = "little"
        assert ">0xd6eb<" in drawn(adder)
        assert ">eb d6<" in drawn(adder)
        assert "tcp right" in adder.status

    def test_padding_is_summed_and_taken_out_again(self) -> None:
        adder = AddWords("ping-odd", 5)
        for value in PAD_VALUES:
            adder.octet.value = value
            for count in (1, 6, 17):
                adder.pad.value = count
                assert "icmp right" in adder.status
                assert "✓ right" in drawn(adder)
                assert adder.packet.endswith(bytes([value]) * count)
                assert adder.words.max == len(adder.packet) // 2 + len(adder.packet) % 2
        assert "padding, swapped" in drawn(adder)

    def test_what_cannot_be_flipped_is_said_kindly(self) -> None:
        adder = AddWords(words=0)
        adder.flip.click()
        assert "step to a word first" in adder.status
        odd = AddWords("ping-odd", 5, 15)
        before = drawn(odd)
        odd.flip.click()
        assert "no byte of the packet" in odd.status
        assert drawn(odd) == before

    def test_other_frames_bring_their_own_limits(self) -> None:
        adder = AddWords("iperf3-tcp4-csum-ok", 300, 10)
        adder.flip.click()
        adder.words.value = adder.words.max
        adder.capture.value = "ping-odd"
        assert (adder.frame.value, adder.frame.max) == (48, 48)
        assert adder.frame.description == "Frame (1–48)"
        adder.frame.value = 5
        assert (adder.words.value, adder.words.max) == (15, 15)
        assert "flipped" not in adder.status
        adder.frame.value = 4000  # typed: the nearest allowed value
        assert adder.frame.value == 48

    def test_frames_without_a_checksum(self) -> None:
        adder = AddWords("ptp-l2-e2e", 1)
        assert "There is no Internet checksum in this frame." in adder.status
        assert "pseudo-header" not in drawn(adder)
        fragment = AddWords("ping-odd", 48)
        assert "icmp not checkable (a fragment" in fragment.status

    def test_two_instances_do_not_move_each_other(self) -> None:
        one, two = AddWords(), AddWords()
        same = drawn(two)
        assert drawn(one) == same
        one.words.value = 9
        one.flip.click()
        one.pad.value = 3
        assert drawn(two) == same
        assert two._flips == set()


class TestCutInTwo:
    def test_it_starts_with_the_tail_that_was_cut_wrongly(self) -> None:
        pieces = CutInTwo()
        assert pieces.status == (
            "Cut at byte 729, odd, the second sum swapped: "
            "together they make 0x21d1, and cutting off leaves 0xe926: right."
        )
        pieces.swap.value = False
        assert pieces.status == (
            "Cut at byte 729, odd, the second sum as it is: "
            "together they make 0x935f, and cutting off leaves 0x7798: wrong, it is 0x21d1 and 0xe926."
        )
        assert "✗ the first piece has 0xe926" in drawn(pieces)

    @pytest.mark.parametrize("sample", SAMPLES.values())
    def test_with_the_swap_every_cut_is_right(self, sample: tuple[str, int]) -> None:
        pieces = CutInTwo()
        pieces.sample.value = sample
        for tail in TAILS.values():
            pieces.tail.value = tail
            for cut in (*range(1, 8), pieces.cut.max - 1, pieces.cut.max):
                pieces.cut.value = cut
                assert pieces.status.endswith(": right.")
            pieces.end.click()
            assert pieces.cut.value == len(frames_of(sample[0])[sample[1] - 1]) - 14
            drawn(pieces)

    def test_without_it_even_cuts_are_right_and_odd_ones_wrong(self) -> None:
        pieces = CutInTwo()
        pieces.swap.value = False
        for cut in range(1, 60):
            pieces.cut.value = cut
            assert pieces.status.endswith(": right.") == (cut % 2 == 0)

    def test_the_names_of_the_samples_tell_their_lengths(self) -> None:
        for name, (capture, number) in SAMPLES.items():
            assert f", {len(frames_of(capture)[number - 1]) - 14} bytes" in name

    def test_a_shorter_packet_moves_the_cut_inside(self) -> None:
        pieces = CutInTwo()
        pieces.cut.value = 733
        pieces.tail.value = TAILS["nothing"]
        assert pieces.cut.value == 729
        pieces.sample.value = SAMPLES["ping over IPv4, 29 bytes"]
        assert (pieces.cut.value, pieces.cut.max, pieces.cut.description) == (29, 29, "Cut at byte (1–29)")

    def test_two_instances_do_not_move_each_other(self) -> None:
        one, two = CutInTwo(), CutInTwo()
        same = drawn(two)
        one.cut.value = 5
        assert drawn(one) != same
        assert drawn(two) == same
