"""The static pictures of notebook 01: what they draw, and the sentences that say the same."""

from xml.etree import ElementTree

import numpy as np

from lan966x_lab import ifh
from lan966x_lab.workbook.figures.header import arrivals, five_fields, two_readings


def test_two_readings_of_the_same_bits() -> None:
    picture = two_readings(ifh.LAN966X.tx.encode(BYPASS=1, DSTS=2, QOS_CLASS=3, IPV=3))
    assert str(picture) == (
        "28 bytes are one number of 224 bits. Its bits 191 to 176 are "
        "on injection BYPASS 191, MASQ 190, MASQ_PORT 189–186, reserved 185–178, WRDMODE 177–176; "
        "on extraction LEN 191–178, WRDMODE 177–176."
    )
    texts = [text.text for text in ElementTree.fromstring(picture.drawing()).iter() if text.text]
    bits = [int(text) for text in texts if text.isdigit() and 176 <= int(text) <= 191]
    assert bits == list(range(191, 175, -1))
    assert [text for text in texts if text in ("80", "81", "30")] == ["80", "30", "81", "80"]


def test_five_fields_of_a_frame_and_its_time() -> None:
    """1448 bytes at 367, 472 and 485 Mbit/s take 31.6, 24.5 and 23.9 µs."""
    picture = five_fields()
    assert str(picture) == (
        "For a TCP frame the driver sets 5 fields, 33 of the header's 224 bits. "
        "Time of a whole frame, from the reported rates: general routine 31.6 µs, 367 Mbit/s; "
        "bit by bit (v1) 24.5 µs, 472 Mbit/s; byte by byte (v2) 23.9 µs, 485 Mbit/s."
    )
    texts = [text.text for text in ElementTree.fromstring(picture.drawing()).iter() if text.text]
    assert {"BYPASS = 1", "TCI = 100", "QOS_CLASS = 3", "DSTS = 2", "IPV = 3"} <= set(texts)
    assert {"−7.0 µs", "−7.7 µs"} <= set(texts)
    assert texts.count("the claim holds") == 2
    assert [text for text in texts if text in ("80", "32", "30", "81")] == ["80", "32", "30", "81", "80"]


def test_arrivals_by_port() -> None:
    columns = {
        "SRCPORT": np.array([3, 0, 3, 3], np.uint8),
        "LEN": np.array([64, 1518, 90, 70], np.uint16),
        "TIMESTAMP": np.array([0, 2_000_000_000, 3_999_999_999, 400_000_000], np.uint32),
    }
    picture = arrivals(columns)
    assert str(picture) == (
        "4 headers by port and time within the second: "
        "port 0 had 1 frames of 1518 to 1518 bytes; port 3 had 3 frames of 64 to 90 bytes."
    )
    (axes,) = picture.body.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["port 0", "port 3"]
    lanes = [collection.get_positions() for collection in axes.collections]
    np.testing.assert_allclose(lanes[0], [500])
    np.testing.assert_allclose(sorted(lanes[1]), [0, 100, 999.99999975])
