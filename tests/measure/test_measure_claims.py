"""The published numbers: every verdict written down by hand, and the arithmetic behind the ones that matter.

The expected figures below were computed with a pocket calculator from the mails, not with the package.
"""

import csv
import doctest
import re
from decimal import Decimal

import pytest

import lan966x_lab
from lan966x_lab import data_path
from lan966x_lab.measure import claims, profiles, tables
from lan966x_lab.measure.interval import printed
from lan966x_lab.measure.verdict import RULES, Verdict

VERDICTS = {
    "000-rx": "inconsistent",  # 652 MBytes in 10.01 s are not 530 Mbit/s
    "000-rx-gain": "holds",  # 73 for "about 70"
    "000-tx-v1": "holds",
    "000-tx-gain-v1": "holds",  # 105 for "about 100"
    "000-rx-packing": "not measurable",
    "000-tx-v2": "holds",
    "000-tx-gain-v2": "holds",  # 118 for "more than 100"
    "001-sender-v1": "holds",
    "001-receiver-v1": "holds",
    "001-gain-v1": "off",  # 65.8 % cut off to 65
    "001-sender": "holds",
    "001-receiver": "holds",
    "001-gain": "holds",  # 70.8 % for "about 70"
    "001-ready": "not measurable",
    "002-big": "holds",
    "002-big-gain": "holds",
    "002-small": "inconsistent",  # a loss at 700 bytes where 1460 bytes gain
    "002-small-gain": "off",
    "002-small-corrected": "holds",
    "002-small-corrected-gain": "holds",
    "002-packing-share": "holds",
    "002-manual": "not measurable",
    "002-loopback": "not measurable",
    "003-netif": "holds",
    "003-gro": "holds",
    "003-gro-cost-old": "holds",
    "003-gro-cost-new": "holds",
    "003-slow-speed": "holds",  # 905 for "about 900"
    "003-fast-speed": "holds",
    "003-elsewhere-slower": "holds",
    "003-elsewhere-faster": "holds",
    "004-goodput": "holds",
    "004-line-rate": "holds",
    "004-do-csum": "holds",
    "004-samples": "not measurable",
}


def test_every_claim_has_the_expected_verdict():
    assert {claim.id: str(claim.verdict) for claim in claims.load()} == VERDICTS


def test_every_claim_shows_its_arithmetic_and_source():
    for claim in claims.load():
        assert claim.arithmetic, claim.id
        assert claim.text.endswith("."), claim.id
        assert "@" in claim.source or "commit" in claim.source, claim.id


# What stands in facts.md, section 0, and performance.md, Q8, before the package existed.
@pytest.mark.parametrize(
    ("claim_id", "before", "after"),
    [
        ("000-rx", 457.6, 546.4),
        ("000-tx-v1", 367.5, 472.3),
        ("000-tx-v2", 367.5, 484.9),
        ("001-sender", 46.2, 78.9),
        ("001-receiver", 45.0, 78.8),
        ("001-sender-v1", 46.2, 76.5),
        ("001-receiver-v1", 45.0, 75.4),
    ],
)
def test_goodput_recomputed_from_mbytes_and_seconds(claim_id, before, after):
    recomputed = claims.get(claim_id).recomputed
    assert {side: round(float(rate), 1) for side, rate in recomputed.items()} == {
        "before": before,
        "after": after,
    }


@pytest.mark.parametrize(
    ("claim_id", "percent", "frame_us", "saved_us", "saving_us"),
    [
        ("000-rx", "+16.0", (25.35, 21.86), 3.49, (3.44, 3.54)),
        ("000-tx-v1", "+28.6", (31.56, 24.54), 7.02, (6.95, 7.09)),
        ("001-sender", "+70.8", (250.74, 146.82), 103.92, (103.55, 104.28)),
        ("002-big", "+6.5", (376.77, 353.94), 22.83, (11.41, 34.29)),
        ("002-small", "-3.7", (341.46, 354.43), -12.97, (-15.13, -10.80)),
        ("002-small-corrected", "+3.8", (354.43, 341.46), 12.97, (10.80, 15.13)),
        ("003-netif", "+1.4", (12.80, 12.62), 0.18, (0.17, 0.20)),
        ("003-gro", "+2.8", (12.99, 12.63), 0.35, (0.34, 0.37)),
        ("004-goodput", "-0.2", (12.31, 12.34), -0.03, (-0.03, -0.03)),
    ],
)
def test_time_per_frame(claim_id, percent, frame_us, saved_us, saving_us):
    claim = claims.get(claim_id)
    assert f"{claim.gain_percent:+.1f}" == percent
    assert tuple(round(ns / 1000, 2) for ns in claim.per_frame_ns()) == frame_us
    assert claim.saved_ns() / 1000 == pytest.approx(saved_us, abs=0.006)
    saving = claim.saving_ns()
    assert (round(float(saving.low) / 1000, 2), round(float(saving.high) / 1000, 2)) == saving_us


def test_another_payload_gives_another_time_per_frame():
    assert claims.get("001-sender").per_frame_ns(payload=724) == (125_368, 73_409)  # half of 1448
    assert claims.get("001-sender").saved_ns(payload=724) == 51_959


def test_the_slip_of_seed_000_is_shown_with_what_would_fit():
    arithmetic = claims.get("000-rx").arithmetic.splitlines()
    assert arithmetic[0].startswith(
        "before: 546 MBytes in 10.01 s are 457.6 Mbit/s [456.9, 458.2]; printed 457 "
    )
    assert arithmetic[0].endswith("agrees.")
    assert "652 MBytes in 10.01 s are 546.4 Mbit/s [545.7, 547.1]; printed 530" in arithmetic[1]
    assert arithmetic[1].endswith("contradicts it. 530 Mbit/s would be 632 MBytes.")
    assert "Beware, 000-rx is inconsistent" in claims.get("000-rx-gain").arithmetic


def test_the_swapped_labels_of_seed_002():
    small, gain = claims.get("002-small"), claims.get("002-small-gain")
    assert "no value fits both. Swapped, it would be [10805, 15130] ns, which fits." in small.arithmetic
    assert "is -3.66 % [-4.26, -3.06]; stated 4.3" in gain.arithmetic
    assert "Swapped, it would be [3.15, 4.44] %, which fits." in gain.arithmetic
    corrected, big = claims.get("002-small-corrected").saving_ns(), claims.get("002-big").saving_ns()
    assert (round(max(corrected.low, big.low)), round(min(corrected.high, big.high))) == (11409, 15130)


def test_the_two_by_two_table_of_seed_003_has_an_interaction():
    netif, gro = claims.get("003-netif"), claims.get("003-gro")
    old, new = claims.get("003-gro-cost-old"), claims.get("003-gro-cost-new")
    assert (netif.before, netif.after, gro.before, gro.after) == (905, 918, 892, 917)
    assert (old.both(), new.both()) == ((905, 892), (918, 917))
    assert gro.saved_ns() - netif.saved_ns() == 173
    assert f"{gro.saving_ns() - netif.saving_ns():.0f}" == "[145, 201]"


def test_do_csum_as_time_per_frame():
    assert "6.95 % of the 12309 ns between frames are 855 ns" in claims.get("004-do-csum").arithmetic


def test_a_statement_speaks_about_its_measurement():
    gain, measured = claims.get("000-rx-gain"), claims.get("000-rx")
    assert (gain.before, gain.after, gain.unit) == (457, 530, "Mbit/s")
    assert (gain.stated, gain.stated_unit) == ("~70", "Mbit/s")
    assert gain.others == (measured,)
    assert measured.stated == ""


def test_figures_print_as_they_were_printed():
    claim = claims.get("001-receiver")
    assert f"{claim.before} {claim.after}" == "45.0 78.8"
    assert str(claim.gain) == "33.8"


@pytest.mark.parametrize("method", ["per_frame_ns", "saved_ns", "saving_ns"])
def test_only_a_goodput_can_be_turned_into_time(method):
    with pytest.raises(ValueError, match="claim 004-samples is in samples; only Mbit/s"):
        getattr(claims.get("004-samples"), method)()


def test_a_figure_that_was_not_printed():
    with pytest.raises(ValueError, match="claim 001-ready prints no figure before"):
        claims.get("001-ready").gain_percent  # noqa: B018


def test_look_up_by_id_and_seed():
    assert [claim.id for claim in claims.by_seed("004")] == [i for i in VERDICTS if i.startswith("004")]
    assert [claim.id for seed in range(5) for claim in claims.by_seed(f"00{seed}")] == list(VERDICTS)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: claims.by_seed("005"),
            "seed '005'; the nearest names are '004', '003', '002', '001', '000'",
        ),
        (lambda: claims.by_seed(None), "seed None; the nearest names are '00[0-4]'(, '00[0-4]'){4}"),
        (
            lambda: claims.get("000-tx"),
            "claim '000-tx'; the nearest names are '000-rx', '000-tx-v2', '000-tx-v1'",
        ),
        (lambda: claims.get("003-netfi"), "claim '003-netfi'; the nearest names are '003-netif', .*"),
        (lambda: claims.get("zzz"), "claim 'zzz'; the nearest names are '.*'"),
        (lambda: claims.get(None), "claim None; the nearest names are '.*'"),
        (lambda: claims.get(["000-rx"]), r"claim \['000-rx'\]; the nearest names are '000-rx', .*"),
    ],
)
def test_an_unknown_id_or_seed_is_told_the_nearest(call, said):
    with pytest.raises(KeyError) as refused:
        call()
    assert re.fullmatch(f"there is no {said}", str(refused.value))


def test_the_list_is_a_copy():
    claims.load().clear()
    assert claims.load()


def test_table():
    lines = claims.table(claims.by_seed("001")).splitlines()
    assert lines[0] == "| claim | before | after | unit | gain | stated | verdict |"
    assert "| 001-sender | 46.2 | 78.9 | Mbit/s | +70.78 % |  | holds |" in lines
    assert "| 001-ready |  |  |  |  | 99 % | not measurable |" in lines


# --- damage ---


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    """Change cells of a copy of claims.csv: damaged(id, column=value) → the claims read from it."""

    def change(claim_id, **cells):
        with data_path("claims.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            if row["id"] == claim_id:
                row.update(cells)
        path = tmp_path / "claims.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        monkeypatch.setattr(claims, "data_path", lambda name: path)
        claims._read.cache_clear()
        return claims

    yield change
    claims._read.cache_clear()


@pytest.mark.parametrize(
    ("claim_id", "cells", "message"),
    [
        ("000-rx", {"before": "45x"}, "claims.csv is damaged: line 2, column before: '45x' does not fit"),
        ("000-rx", {"before": "NaN"}, "line 2, column before: 'NaN' does not fit"),
        ("000-rx", {"payload": "1448.5"}, "line 2, column payload"),
        ("000-rx", {"after": ""}, "line 2, column after: a 'goodput' row needs it"),
        ("000-rx", {"text": " "}, "line 2, column text: ' ' does not fit .it must not be empty"),
        ("000-rx", {"kind": "goodputt"}, r"line 2, column kind: .*allowed are goodput, gain"),
        ("000-rx-gain", {"stated": "seventy"}, "line 3, column stated: 'seventy'"),
        ("000-rx-gain", {"stated": ""}, "line 3, column stated: a 'gain' row needs it"),
        ("000-rx-gain", {"compare_with": ""}, "line 3, column compare_with: a 'gain' row needs it"),
        (
            "000-rx-gain",
            {"compare_with": "000-tx-v1"},
            "line 3, column compare_with: '000-tx-v1' is not the id of an",
        ),
        ("000-rx-gain", {"id": "000-rx"}, "line 3, column id: '000-rx' stands there twice"),
        ("000-rx", {"transport": "sctp"}, "line 2, column transport: .*allowed are tcp, udp"),
    ],
)
def test_a_damaged_file_is_refused_with_line_and_column(damaged, claim_id, cells, message):
    with pytest.raises(tables.DamagedTableError, match=message) as error:
        damaged(claim_id, **cells).load()
    assert str(error.value).endswith(lan966x_lab.GET_BACK)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column .*: this column is missing"),
        ("process,symbol,off,on,what,more\n", "line 1, column more: this column is missing, or should not"),
        ("process,symbol,off,on,what\na,b,1\n", "line 2, column on: 3 cells instead of 5"),
        ("process,symbol,off,on,what\na,b,1,2,c,d\n", "line 2, column what: 6 cells instead of 5"),
        (
            "process,symbol,off,on,what\na,b,one,2,c\n",
            "profiles.csv is damaged: line 2, column off: 'one' does not fit",
        ),
    ],
)
def test_a_damaged_profile_is_refused(tmp_path, monkeypatch, text, message):
    path = tmp_path / "profiles.csv"
    path.write_text(text)
    monkeypatch.setattr(profiles, "data_path", lambda name: path)
    profiles.load.cache_clear()
    with pytest.raises(tables.DamagedTableError, match=message):
        profiles.load()


# --- each rule can find fault ---


@pytest.mark.parametrize(
    ("claim_id", "cells", "verdict"),
    [
        ("000-rx", {"after_mbytes": "632"}, "holds"),
        ("000-rx", {"before_seconds": "20.01"}, "inconsistent"),
        ("004-goodput", {"before": "941.49"}, "inconsistent"),  # faster than the link
        ("004-goodput", {"payload": "1400"}, "inconsistent"),
        ("002-small-corrected", {"after": "18.4"}, "inconsistent"),
        ("002-packing-share", {"stated": "9..12"}, "off"),
        ("000-tx-gain-v1", {"stated": "~120"}, "off"),
        ("000-tx-gain-v2", {"stated": ">120"}, "off"),
        ("001-gain", {"stated": "69"}, "off"),
        ("001-gain", {"stated": "71"}, "holds"),
        ("003-slow-speed", {"stated": "900"}, "off"),
        ("003-slow-speed", {"stated": "~1010"}, "off"),
        ("003-fast-speed", {"stated": "940"}, "off"),
        ("004-line-rate", {"stated": "101"}, "off"),
        ("004-do-csum", {"before": "6.96"}, "off"),
        ("004-do-csum", {"metric": "share of samples in skb_put"}, "off"),
        ("004-samples", {"after": "153990"}, "inconsistent"),
    ],
)
def test_each_rule_finds_the_fault(damaged, claim_id, cells, verdict):
    assert damaged(claim_id, **cells).get(claim_id).verdict == Verdict(verdict)


def test_a_share_below_the_listed_rows_proves_nothing(damaged, monkeypatch):
    monkeypatch.setattr(profiles, "least_listed", lambda offload: Decimal("6.96"))
    assert damaged("004-do-csum").get("004-do-csum").verdict == "off"


def test_the_example_in_the_module():
    assert doctest.testmod(claims) == doctest.TestResults(failed=0, attempted=3)


def test_every_rule_is_used():
    assert {claim.kind for claim in claims.load()} == set(RULES)


# --- profiles ---


@pytest.fixture(autouse=True)
def _fresh_profiles():
    profiles.load.cache_clear()
    yield
    profiles.load.cache_clear()


def test_profiles_of_seed_004():
    assert profiles.percent("do_csum", "off") == Decimal("6.95")
    assert profiles.percent("do_csum", "on") is None
    assert profiles.percent("ravb_poll", "on") == Decimal("7.00")
    assert profiles.total("off", profiles.IDLE) == Decimal("4.80")
    assert profiles.total("on", profiles.IDLE) == Decimal("8.00")
    assert (profiles.total("off"), profiles.total("on")) == (Decimal("65.67"), Decimal("64.35"))
    assert (profiles.least_listed("off"), profiles.least_listed("on")) == (Decimal("1.52"), Decimal("1.62"))
    for side in profiles.OFFLOAD:
        assert sum(row.percent[side] is not None for row in profiles.load()) == 12


def test_an_unlisted_symbol():
    with pytest.raises(KeyError, match="'memcpy' is in neither profile; listed are _raw_spin"):
        profiles.percent("memcpy", "on")


def test_figures_of_the_claims_are_all_exact():
    for claim in claims.load():
        for figure in (claim.before, claim.after):
            assert figure is None or type(figure) is Decimal
        if claim.stated:
            printed(claim.stated)
