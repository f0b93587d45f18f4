"""``classify`` against the kernel's conditions, run by a second machine (``ptp_support``)."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptp_support import C_TAG, MACS, MADE, S_TAG, SYNC, Made, all_captures, bpf_classify, l2

from lan966x_lab.net import batch, ptp

ETHERTYPES = [b"\x08\x00", b"\x86\xdd", b"\x81\x00", b"\x88\xf7", b"\x88\xa8", b"\x08\x06"]


@st.composite
def nearly_ptp(draw: st.DrawFn) -> bytes:
    """A frame with the octets that the classifier looks at, each right more often than not, cut anywhere."""
    frame = bytearray(draw(st.binary(min_size=100, max_size=110)))
    tag = draw(st.sampled_from([0, 0, 4]))
    if tag:
        frame[12:14] = b"\x81\x00"
    frame[12 + tag : 14 + tag] = draw(st.sampled_from(ETHERTYPES))
    words = draw(st.sampled_from([5, 5, 0, 4, 6, 15]))
    frame[14 + tag] = draw(st.sampled_from([0x40, 0x00])) | words
    frame[20 + tag : 22 + tag] = draw(st.sampled_from([b"\0\0", b"\x40\0", b"\x20\0", b"\0\1", b"\x11\0"]))
    if draw(st.booleans()):
        frame[20 + tag] = 17
    frame[23 + tag] = draw(st.sampled_from([17, 17, 6]))
    port = draw(st.sampled_from([b"\x01\x3f", b"\x01\x3f", b"\x01\x40", b"\x3f\x01"]))
    for at in (16 + tag + 4 * words, 56 + tag):
        frame[at : at + 2] = port
    return bytes(frame[: draw(st.one_of(st.just(len(frame)), st.integers(0, len(frame))))])


class TestClassify:
    @pytest.mark.parametrize("made", MADE.values(), ids=MADE)
    def test_the_kernel_s_value(self, made: Made) -> None:
        assert ptp.classify(made.frame) == made.kernel == bpf_classify(made.frame)

    @given(nearly_ptp())
    def test_frames_that_are_nearly_ptp(self, frame: bytes) -> None:
        assert ptp.classify(frame) == bpf_classify(frame)

    def test_counts_of_the_captures(self) -> None:
        counts = {
            name: {hex(value): n for value, n in sorted(Counter(map(ptp.classify, frames)).items()) if value}
            for name, frames in all_captures().items()
        }
        assert {name: count for name, count in counts.items() if count} == {
            "ptp-l2-e2e.pcap": {"0x42": 63},  # 37 Sync, 26 Delay_Req; the general messages have no class
            "ptp-l2-p2p.pcap": {"0x42": 201},
            "ptp-udp4-e2e.pcap": {"0x12": 69},
            "ptp-udp6-e2e.pcap": {"0x22": 66},
        }

    def test_any_bytes_like_object(self) -> None:
        frame = MADE["IPv4, options, one tag"].frame
        spread = bytes(2 * len(frame))
        spread = bytes(octet for pair in zip(frame, spread, strict=False) for octet in pair)
        for same in (
            bytearray(frame),
            memoryview(frame),
            memoryview(spread)[::2],
            np.frombuffer(frame, np.uint8),
        ):
            assert ptp.classify(same) == 0x92

    def test_refuses_what_is_not_bytes_like(self) -> None:
        with pytest.raises(TypeError, match="bytes-like"):
            ptp.classify("frame")  # type: ignore[arg-type]


class TestClassifyBatch:
    def test_the_kernel_s_values(self) -> None:
        frames, lengths = batch.stack([made.frame for made in MADE.values()])
        classes = ptp.classify_batch(frames, lengths)
        assert classes.dtype == np.uint8
        assert classes.tolist() == [made.kernel for made in MADE.values()]

    @given(st.lists(nearly_ptp(), max_size=20), st.integers(0, 3))
    def test_equals_the_scalar(self, frames: list[bytes], more: int) -> None:
        rows, lengths = batch.stack(frames)
        want = [ptp.classify(frame) for frame in frames]
        for layout in (rows, np.pad(rows, ((0, 0), (0, more))), np.asfortranarray(rows)):
            assert ptp.classify_batch(layout, lengths).tolist() == want

    def test_octets_past_the_length_are_not_looked_at(self) -> None:
        for made in MADE.values():
            rows, _ = batch.stack([made.frame] * (len(made.frame) + 1))
            cuts = range(len(made.frame) + 1)
            assert ptp.classify_batch(rows, cuts).tolist() == [ptp.classify(made.frame[:n]) for n in cuts]

    def test_rows_shorter_than_any_message(self) -> None:
        for width in range(20):
            frame = l2(SYNC)[:width]
            rows = np.frombuffer(frame, np.uint8).reshape(1, width)
            assert ptp.classify_batch(rows, [width]).tolist() == [ptp.classify(frame)]
        assert ptp.classify_batch(np.zeros((0, 8), np.uint8), []).shape == (0,)

    @pytest.mark.parametrize(
        ("frames", "lengths", "error", "words"),
        [
            (np.zeros((1, 64), np.uint8), [65], ValueError, r"length 65 of frame 0 is not within 0\.\.64"),
            (np.zeros((1, 64), np.uint8), [1, 2], ValueError, "1 frames need lengths"),
            (np.zeros((1, 64), np.int8), [64], TypeError, "uint8, not int8"),
        ],
    )
    def test_refuses(self, frames, lengths, error, words) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(error, match=words):
            ptp.classify_batch(frames, lengths)


class TestDescribe:
    def test_says_version_transport_and_tag(self) -> None:
        assert ptp.describe(ptp.V2 | ptp.IPV4 | ptp.VLAN) == "PTP v2 over IPv4, VLAN-tagged"
        assert ptp.describe(ptp.V1 | ptp.IPV6) == "PTP v1 over IPv6"
        assert ptp.describe(0x42) == "PTP v2 over Ethernet"
        assert ptp.describe(ptp.NONE) == "no PTP event message"

    def test_every_class_has_words_and_nothing_else_has(self) -> None:
        classes = {
            version | transport | vlan
            for version in range(16)
            for transport in (ptp.IPV4, ptp.IPV6, ptp.L2)
            for vlan in (0, ptp.VLAN)
        } | {ptp.NONE}
        assert len({ptp.describe(value) for value in classes}) == len(classes)
        for value in {*range(-1, 0x200)} - classes:
            with pytest.raises(ValueError, match="is no PTP class; a class is NONE or a version"):
                ptp.describe(value)


def test_the_second_machine_drops_what_it_should() -> None:
    assert bpf_classify(MACS + C_TAG + b"\x88\xf7\x00\x12") == 0xC2
    assert bpf_classify(MACS + S_TAG + b"\x88\xf7\x00\x12") == 0
    assert bpf_classify(MACS + b"\x88\xf7\x00") == 0
