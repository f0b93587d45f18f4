"""Recordings: the shipped ones are read and computed anew, from raw figures that iperf3 states twice."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lan966x_lab import GET_BACK, DamagedDataError, cli_wire, data_path
from lan966x_lab.measure import live
from lan966x_lab.measure.live.recording import (
    RECORDED,
    Side,
    change_percent,
    cpu_us_per_frame,
    is_clear,
    mbit,
)

RECORDINGS = live.recordings()
RUNS = [(name, run) for name, recording in RECORDINGS.items() for run in recording.runs]


def run(side: str, turn: int, received: int, *, frames: int = 1000, workload: str = "tcp") -> dict[str, Any]:
    """A run in which `received` Mbit arrived in one second, 10 µs of CPU time for each frame."""
    return {
        "workload": workload,
        "side": side,
        "turn": turn,
        "iperf3": {"end": {"sum_received": {"bytes": received * 125_000, "seconds": 1.0}}},
        "traffic": [{"read": frames - 100}, {"read": 100}],
        "cpu_ns": frames * 10_000,
        "work": {"register reads": 7 * frames},
    }


def recording(*runs: dict[str, Any], **fields: Any) -> live.Recording:
    return live.Recording("2026-01-01", "a machine", {}, live.Plan(**fields), runs)


def test_a_comparison_takes_complete_rounds_only_and_pairs_them() -> None:
    found = recording(
        run("off", 1, 100),
        run("on", 1, 110),
        run("on", 2, 240),
        run("off", 2, 200),
        run("off", 3, 1),
    ).comparison("tcp")
    assert found.mbit["off"] == Side((100.0, 200.0))
    assert found.mbit["on"] == Side((110.0, 240.0))
    assert change_percent(found.mbit) == pytest.approx(15)  # the middle of +10 % and +20 %
    assert not is_clear(found.mbit)
    assert found.cpu_us["on"].values == (10.0, 10.0)
    assert found.per_frame["off"] == {"register reads": 7.0}


def test_spread_is_the_range_of_few_runs_and_the_quartiles_of_more() -> None:
    assert Side((3.0, 1.0, 2.0)).spread == (1.0, 3.0)
    assert Side((5.0, 1.0, 2.0, 3.0, 4.0)).spread == (2.0, 4.0)
    assert Side((5.0, 1.0, 2.0, 3.0, 4.0)).median == 3.0


def test_sides_are_clear_when_their_medians_are_further_apart_than_the_wider_spread() -> None:
    low, high = Side((1.0, 2.0)), Side((3.0, 4.0))
    assert is_clear({"off": low, "on": high})
    assert is_clear({"off": high, "on": low})
    assert not is_clear({"off": low, "on": Side((2.0, 9.0))})
    assert not is_clear({"off": Side((1.0,)), "on": Side((9.0,))})


def test_a_workload_without_a_round_is_an_error_that_names_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no complete round of 'udp 700': recorded are tcp"):
        recording(run("off", 1, 1)).comparison("udp 700")


def test_without_ping_and_ptp_nothing_is_claimed() -> None:
    found = recording()
    assert found.ping_loss_percent != found.ping_loss_percent  # not a number
    assert found.ptp_offsets == []
    assert not found.ptp_reached_slave


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"format": 1}',
        '{"format": 1, "date": "", "plan": []}',
        '{"format": 99}',
        "",
        '{"format": 1',
        "\udcff",
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(ValueError, match=r"x\.json is no recording of format 1"):
        live.load(path)


def test_a_recording_that_cannot_be_put_in_its_place_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        recording().save(tmp_path / "x.json")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


# ---- what comes with the lab ----


def test_the_lab_names_every_recording_that_lies_there() -> None:
    assert sorted(path.stem for path in data_path("live").glob("*.json")) == sorted(RECORDED)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the recordings that may be damaged; the lab takes it for its own."""
    for name in RECORDED:
        shutil.copy(data_path("live", f"{name}.json"), tmp_path)
    real = data_path

    def data_path_here(*parts: str) -> Path:
        path = tmp_path.joinpath(*parts[1:])
        return path if path.exists() else real("gone", *parts)

    monkeypatch.setattr("lan966x_lab.measure.live.recording.data_path", data_path_here)
    assert live.recordings() == RECORDINGS
    return tmp_path


def test_a_missing_recording_is_said_and_not_left_out(own: Path) -> None:
    (own / "everything-sizes.json").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"everything-sizes\.json is missing\. It belongs to the lab: in"
    ):
        live.recordings()


@pytest.mark.parametrize("half", [1000, 0])
def test_a_damaged_recording_is_said_and_not_left_out(half: int, own: Path) -> None:
    path = own / "everything-sizes.json"
    path.write_bytes(path.read_bytes()[:half])
    with pytest.raises(DamagedDataError) as error:
        live.recordings()
    assert str(error.value) == f"{path} is damaged: it is no recording of format 1. {GET_BACK}"


def test_there_is_one_recording_for_everything_and_one_for_each_patch() -> None:
    assert set(RECORDINGS["everything"].plan.patches) == set(live.EVERYTHING)
    single = {found.plan.patches for name, found in RECORDINGS.items() if not name.startswith("everything")}
    assert single == {(patch,) for patch in (*live.EVERYTHING, "000/2")}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_say_when_where_and_with_what(name: str, tmp_path: Path) -> None:
    found = RECORDINGS[name]
    assert found.date.startswith("20")
    assert "CPython" in found.machine
    assert {"lan966x_lab", "kernel", "iperf3", "ip", "python"} <= found.versions.keys()
    assert len(found.runs) == 2 * found.plan.rounds * len(found.plan.workloads)
    found.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == data_path("live", f"{name}.json").read_bytes()
    assert "median" in cli_wire.summary(found)


@pytest.mark.parametrize(("name", "run"), RUNS, ids=lambda x: x if isinstance(x, str) else f"{x['turn']}")
def test_runs_agree_with_themselves(name: str, run: dict[str, Any]) -> None:
    end = run["iperf3"]["end"]
    assert mbit(run) * 1e6 == pytest.approx(end["sum_received"]["bits_per_second"])
    intervals = sum(interval["sum"]["bytes"] for interval in run["iperf3"]["intervals"])
    assert intervals == end["sum_sent"]["bytes"]
    there, back = run["traffic"]
    assert end["sum_received"]["bytes"] <= there["sent_bytes"]
    for side in (there, back):
        assert side["read"] == side["delivered"] == side["sent"] + side["refused"]
    read = there["read"] + back["read"]
    assert read == sum(run["roads"].values()) == run["ledger"]["tx sent"] == run["ledger"]["rx delivered"]
    assert cpu_us_per_frame(run) * read * 1e3 == pytest.approx(run["cpu_ns"])
    assert run["waited_ns"] <= run["cpu_ns"]


@pytest.mark.parametrize(
    ("name", "saved"),
    [("000-1", {"register reads": 4, "register writes": 1}), ("000-2", {}), ("002", {}), ("003", {})],
)
def test_counted_work_is_what_the_patch_saves(name: str, saved: dict[str, int]) -> None:
    for comparison in RECORDINGS[name].comparisons:
        off, on = comparison.per_frame["off"], comparison.per_frame["on"]
        for what in ("register reads", "register writes", "clock reads"):
            assert off[what] - on[what] == pytest.approx(saved.get(what, 0), abs=0.05), what


def test_patch_001_saves_every_clock_read() -> None:
    comparison = RECORDINGS["001"].comparison("tcp")
    assert comparison.per_frame["off"]["clock reads"] > 100
    assert comparison.per_frame["on"]["clock reads"] == 0


@pytest.mark.parametrize("name", ["everything", "000-1", "000-2-v2", "001", "002"])
def test_patches_whose_cost_is_per_frame_made_the_stream_faster_by_more_than_the_spread(name: str) -> None:
    comparison = RECORDINGS[name].comparison("tcp")
    assert change_percent(comparison.mbit) > 10
    assert change_percent(comparison.cpu_us) < -10
    assert is_clear(comparison.mbit)
    assert is_clear(comparison.cpu_us)


def test_the_bit_loop_saves_little_python_and_gains_little() -> None:
    assert 0 < change_percent(RECORDINGS["000-2"].comparison("tcp").mbit) < 10


def test_a_patch_that_saves_nothing_here_shows_nothing() -> None:
    comparison = RECORDINGS["003"].comparison("tcp")
    assert not is_clear(comparison.mbit)
    assert not is_clear(comparison.cpu_us)


def test_every_patch_together_gain_at_every_frame_size() -> None:
    recording = RECORDINGS["everything-sizes"]
    assert recording.plan.workloads == tuple(f"udp {size}" for size in (64, 256, 512, 1024, 1460))
    for comparison in recording.comparisons:
        assert is_clear(comparison.mbit), comparison.workload
        assert change_percent(comparison.mbit) > 50, comparison.workload


def test_everything_on_carries_50_mbit_of_tcp() -> None:
    assert RECORDINGS["everything"].comparison("tcp").mbit["on"].median > 50


def test_ping_and_ptp4l_of_the_recording() -> None:
    found = RECORDINGS["everything"]
    assert found.ping_loss_percent == 0
    assert found.ptp_reached_slave
    offsets = found.ptp_offsets
    assert offsets[0][0] == 0
    assert len(offsets) > 50
    assert all(a[0] < b[0] for a, b in pairwise(offsets))
    assert found.ptp is not None
    assert found.ptp["timestamping"] == "software"
