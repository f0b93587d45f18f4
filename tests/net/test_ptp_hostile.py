"""More than a million hostile frames: cut, flipped, random. Nothing raises, and both classifiers agree."""

import random

from ptp_support import MADE, all_captures, bpf_classify

from lan966x_lab.net import batch, ptp

LOOKED_AT = 100  # no classifier looks further: 14 + 4 + 60 + 10 octets at most


def distinct_ptp_frames() -> list[bytes]:
    """One frame of each message type of each capture, and all made ones."""
    frames = {
        (name, found.message_type): frame
        for name, capture in all_captures().items()
        for frame in capture
        if (found := ptp.parse(frame))
    }
    return [*frames.values(), *(made.frame for made in MADE.values())]


def test_every_capture_frame_cut_at_every_length() -> None:
    cuts = 0
    for frames in all_captures().values():
        for frame in frames:
            value, whole = ptp.classify(frame), ptp.parse(frame)
            for n in range(len(frame)):
                cut = frame[:n]
                found = ptp.parse(cut)
                if found is None or whole is None:
                    assert found is None
                else:
                    assert (
                        found.truncated or found == whole
                    )  # equal where only what follows the message is cut
                assert ptp.classify(cut) in ((value,) if n >= LOOKED_AT else (value, 0))
            cuts += len(frame)
    assert cuts > 1_000_000


def test_cut_frames_have_the_kernel_s_class() -> None:
    for frame in distinct_ptp_frames():
        cuts = [frame[:n] for n in range(len(frame) + 1)]
        want = [bpf_classify(cut) for cut in cuts]
        assert [ptp.classify(cut) for cut in cuts] == want
        assert ptp.classify_batch(*batch.stack(cuts)).tolist() == want


def test_every_flipped_bit() -> None:
    for frame in distinct_ptp_frames():
        number = int.from_bytes(frame, "big")
        flipped = [(number ^ 1 << bit).to_bytes(len(frame), "big") for bit in range(8 * len(frame))]
        want = [bpf_classify(wrong) for wrong in flipped]
        assert [ptp.classify(wrong) for wrong in flipped] == want
        assert ptp.classify_batch(*batch.stack(flipped)).tolist() == want
        for wrong in flipped:
            check_invariants(wrong)


def test_random_octets_in_and_out_of_real_headers() -> None:
    chance = random.Random(966)
    frames = distinct_ptp_frames()
    for _ in range(30_000):
        frame = bytearray(chance.choice(frames))
        start = chance.choice((0, 12, 14, 18, len(frame) // 2))
        frame[start:] = chance.randbytes(chance.randrange(120))
        wrong = bytes(frame)
        assert ptp.classify(wrong) == bpf_classify(wrong)
        check_invariants(wrong)
        check_message(chance.randbytes(1) + bytes([chance.randrange(16) << 4 | 2]) + wrong[start:])


def check_invariants(frame: bytes) -> None:
    found, place = ptp.parse(frame), ptp.locate(frame)
    assert (found is None) or place is not None
    if place:
        start, end = place
        assert start >= 14
        assert start <= end <= len(frame)
    if found:
        check_message(frame[slice(*place)])  # type: ignore[arg-type]


def check_message(data: bytes) -> None:
    found = ptp.parse_message(data)
    assert found is not None
    assert found.message_type == data[0] & 0x0F
    if found.truncated is None:
        assert found.length is not None
        assert 34 <= found.length <= len(data)
        assert found.log_interval is not None
