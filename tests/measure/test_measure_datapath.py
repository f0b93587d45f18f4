"""One path, one frame size: the parts of its time, published points, recordings and counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.measure import claims, linerate, live
from lan966x_lab.measure.live.recording import mbit
from lan966x_lab.measure.model import costmodel
from lan966x_lab.measure.model.costpaths import PATHS
from lan966x_lab.measure.model.datapath import (
    LONGEST,
    SHORTEST,
    SWITCHES,
    TOGETHER,
    WAITING,
    View,
    header_lines,
    payload_of,
    recording,
)

ALL = frozenset(SWITCHES)
views = st.builds(View, st.sampled_from(sorted(PATHS)), st.frozensets(st.sampled_from(SWITCHES)))
sizes = st.integers(SHORTEST, LONGEST)


@given(views, sizes)
def test_the_parts_add_up_to_a_time_that_the_model_allows(view: View, frame: int):
    parts, whole = view.parts(frame), view.frame_ns(frame)
    assert float(whole.low) - 1e-6 <= sum(part.ns for part in parts) <= float(whole.high) + 1e-6
    for part in parts:
        assert float(part.band.low) - 1e-6 <= part.ns <= float(part.band.high) + 1e-6


@given(views, sizes)
def test_patches_never_make_a_frame_slower_in_the_model(view: View, frame: int):
    gain = view.gain(frame)
    assert gain.low >= 1
    if not view.biting:
        assert gain.high == 1


@pytest.mark.parametrize("path", PATHS)
def test_a_patch_takes_the_parts_of_its_features_away(path: str):
    before, after = View(path), View(path, ALL)
    gone = {part.name for part in before.parts(LONGEST)} - {part.name for part in after.parts(LONGEST)}
    removable = before.features - after.features
    assert gone == {term.name for term in PATHS[path].terms if term.needs and term.needs <= removable}


def test_fixed_and_per_byte_are_one_part_where_one_size_was_measured():
    assert [part.name for part in View("lan966x fdma tx", ALL).parts(LONGEST)] == [TOGETHER]
    assert [part.name for part in View("ocelot fdma tx", ALL).parts(LONGEST)] == ["fixed", "per byte"]
    assert [part.name for part in View("lan966x manual tx", ALL).parts(500)] == ["fixed", "per word"]


def test_what_the_offload_saves_at_line_rate_becomes_waiting():
    off, on = (View("ravb rx", some) for some in (frozenset(), ALL))
    waits = [{part.name: part.ns for part in view.parts(LONGEST)}[WAITING] for view in (off, on)]
    summed = {part.name: part.ns for part in off.parts(LONGEST)}["do_csum"]
    # the band of the link's time is the same before and after: what the CPU no longer does, it waits
    assert sum(part.ns for part in on.parts(LONGEST)) == pytest.approx(float(linerate.wire_bytes(1448) * 8))
    assert waits[1] == pytest.approx(waits[0] + summed, rel=0.01)


def test_published_points_are_the_printed_figures():
    for path in PATHS:
        for point in View(path).published:
            claim = claims.get(point.claim)
            assert point.mbit == float(claim.figure(point.side))
            assert point.frame == linerate.frame_bytes(claim.payload, claim.transport)
    sender = claims.get("001-sender")
    ((frame, gain),) = View("lan966x manual tx", frozenset({"001"})).published_gains
    assert (frame, gain) == (1514, pytest.approx(float(sender.after / sender.before)))


def test_recordings_are_found_by_their_plan():
    shown = View("lan966x fdma rx", ALL).live
    assert {each.frame for each in shown} >= {106, 298, 554, 1066, 1502}
    assert [each.frame for each in shown] == sorted(each.frame for each in shown)
    for each in shown:
        assert set(each.recording.plan.patches) == ALL - {"004"}
        assert each.recording.plan.path == "fdma"
        best = max(mbit(run) for run in each.recording.runs if run["side"] == "on")
        assert max(each.sides["on"].values) <= best
        assert len(each.gains) == each.recording.plan.rounds
    (alone,) = View("lan966x manual tx", frozenset({"001"})).live
    assert alone.recording.plan == recording(["001"], path="manual").plan
    assert not View("ravb rx", ALL).live
    assert not View("lan966x fdma rx", frozenset({"000/1", "003"})).live


def test_a_recording_that_is_not_there_is_refused_with_what_there_is():
    with pytest.raises(
        ValueError, match=r"nobody recorded 001 002 \(fdma: tcp\); there is .*000/1 \(fdma: tcp.* doctor"
    ):
        recording(["002", "001"])
    assert isinstance(recording(["002"], "udp 1460"), live.Recording)


def test_counts_are_those_worked_out_by_hand():
    """7 words of header and 379 of data are asked for, one more is written, and two accesses to control."""
    off, on = (View("lan966x manual tx", some).counted(1514) for some in (frozenset(), frozenset({"001"})))
    assert (off["register reads"], off["register writes"], off["clock reads"]) == (387, 389, 386)
    assert (on["register reads"], on["register writes"], on["clock reads"]) == (387, 389, 0)
    received = [View("lan966x fdma rx", some).counted(1514) for some in (frozenset(), frozenset({"000/1"}))]
    assert received[0]["register reads"] - received[1]["register reads"] == 4
    assert received[0]["register writes"] - received[1]["register writes"] == 1


@pytest.mark.parametrize(
    ("path", "patch", "name", "before", "after"),
    [
        ("ravb rx", "004", "bytes that the CPU adds up", 20 + 12 + 1480, 20 + 12),
        ("ocelot fdma tx", "002", "set calls", 5, 0),
        ("bcm4908 forward", "003", "skbs made before a frame came", 200, 0),
    ],
)
def test_the_other_devices_count_for_their_own_patch(
    path: str, patch: str, name: str, before: int, after: int
):
    own, others = View(path, frozenset({patch})), View(path, ALL - {patch})
    assert View(path).counted(1514)[name] == others.counted(1514)[name] == before
    assert own.counted(1514)[name] == after


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("frame", [SHORTEST, 61, 777, LONGEST])
def test_every_path_can_be_counted_at_every_size(path: str, frame: int):
    before, after = View(path).counted(frame), View(path, ALL).counted(frame)
    assert before.keys() == after.keys()
    assert before != after


def test_header_lines_overlap_of_two_patches():
    off, shift, template, both = (
        sum(header_lines(some).values()) for some in ((), ("000/2 v2",), ("002",), ("000/2 v2", "002"))
    )
    assert off > shift > both
    assert off > template > both
    assert (off - shift) + (off - template) > off - both  # the same lines cannot be saved twice
    assert header_lines((), "PTP")["transmit"] > header_lines(())["transmit"]


@pytest.mark.parametrize("frame", [59, 1515, -1])
def test_frames_that_no_ethernet_carries_are_refused(frame: int):
    with pytest.raises(ValueError, match="allowed 60 to 1514"):
        payload_of(frame, "tcp")
    with pytest.raises(ValueError, match="allowed 60 to 1514"):
        View("ravb rx").parts(frame)


def test_payload_is_what_the_headers_leave():
    assert payload_of(1514, "tcp") == 1448
    assert payload_of(60, "udp") == 18
    assert payload_of(60, "tcp") == 0


def test_names_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="there is no path 'fdma': choose from lan966x fdma rx"):
        View("fdma")
    with pytest.raises(ValueError, match="there is no patch 005: choose from 000/1"):
        View("ravb rx", frozenset({"005"}))


def test_the_view_asks_the_model():
    view, model = View("lan966x fdma rx", frozenset({"000/1"})), costmodel.fit()
    features = PATHS["lan966x fdma rx"].left_by("000/1")
    assert view.goodput(1514) == model.goodput("lan966x fdma rx", 1448, features)
    assert view.assumed(700) == model.assumed("lan966x fdma rx", 634, features)
    assert view.measured(1514)
    assert not view.measured(700)
    assert view.line_rate(1514) == pytest.approx(941.48, abs=0.01)
