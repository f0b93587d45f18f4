import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.driver import skb as m
from lan966x_lab.driver.skb import IpSummed, Skb, SkbError, SkbSlab, alloc_skb, build_skb, skb_from_frame


def test_the_sizes_of_seed_003():
    buffer = m.NET_SKB_PAD + m.NET_IP_ALIGN + 14 + 6 + 4 + 1500 + 4 + 4
    assert buffer == 1596
    assert m.skb_data_align(buffer) == 1600
    assert m.skb_data_align(buffer) + m.SHARED_INFO == 1920
    assert 4096 // 1920 == 2
    assert m.skb_truesize(1600) == 1600 + 256 + 320


def test_put_refuses_to_leave_the_buffer_and_says_the_numbers():
    # C15, the review of the FDMA series: 102 bytes of frame, 4 of FCS, no tailroom for them
    skb = build_skb(bytearray(102 + 26 + m.SHARED_INFO))
    skb.reserve(26)
    skb.put(102)
    with pytest.raises(SkbError, match=r"skb_over_panic: len:102 put:4 .*tailroom is 0"):
        skb.put(4)
    assert len(skb) == 102


def test_push_pull_trim_and_reserve_refuse_too():
    skb = skb_from_frame(b"abcdef", headroom=4)
    with pytest.raises(SkbError, match="skb_under_panic: len:6 push:5 headroom:4"):
        skb.push(5)
    with pytest.raises(SkbError, match=r"pull\(7\)"):
        skb.pull(7)
    with pytest.raises(SkbError, match="trim to 7"):
        skb.trim(7)
    with pytest.raises(SkbError, match="reserve"):
        skb.reserve(1)
    for call in (skb.put, skb.push, skb.pull, skb.trim):
        with pytest.raises(SkbError):
            call(-1)
    assert bytes(skb) == b"abcdef"
    with pytest.raises(SkbError, match="reserve:9"):
        alloc_skb(0, headroom=0).reserve(9)
    with pytest.raises(SkbError, match="0 or more"):
        alloc_skb(-1)


def test_build_skb_leaves_the_shared_info_alone():
    page = bytearray(b"\xee" * 1920)
    skb = build_skb(page)
    assert skb.end == 1600
    assert skb.truesize == 1920 + m.SK_BUFF
    skb.put(skb.tailroom)[:] = bytes(1600)
    assert page[1600:] == b"\xee" * 320
    with pytest.raises(SkbError, match=r"320\.\.1920"):
        build_skb(page, 319)
    with pytest.raises(SkbError, match=r"320\.\.1920"):
        build_skb(page, 1921)


def test_free_gives_back_once():
    freed: list[int] = []
    skb = alloc_skb(10)
    skb.release = lambda: freed.append(1)
    skb.free()
    assert freed == [1]
    with pytest.raises(SkbError, match="already freed"):
        skb.free()


def test_two_users_free_twice():
    freed: list[int] = []
    skb = alloc_skb(10)
    skb.release = lambda: freed.append(1)
    assert skb.get() is skb
    skb.free()
    assert not skb.freed
    assert freed == []
    skb.free()
    assert freed == [1]
    with pytest.raises(SkbError, match="skb_get"):
        skb.get()


def test_eth_type_trans():
    skb = skb_from_frame(bytes(12) + b"\x08\x00rest")
    start = skb.data
    assert m.eth_type_trans(skb) == 0x0800
    assert (skb.mac_header, skb.data, bytes(skb)) == (start, start + 14, b"rest")
    assert m.eth_type_trans(skb_from_frame(bytes(12) + b"\x05\xff")) == m.ETH_P_802_2
    assert m.eth_type_trans(skb_from_frame(bytes(12) + b"\x06\x00")) == 0x0600
    with pytest.raises(SkbError):
        m.eth_type_trans(skb_from_frame(bytes(13)))


def test_slab_counts_what_the_thread_is_about():
    slab = SkbSlab()
    early = [slab.take(lambda: alloc_skb(1)) for _ in range(200)]
    assert all(early)
    assert slab.calls == 200
    assert slab.zeroed_bytes == 200 * 256
    assert slab.age(early[0]) == 199  # 199 structures were zeroed since: cold
    assert slab.age(early[-1]) == 0
    bulk = SkbSlab(bulk=16)
    for _ in range(32):
        skb = bulk.take(lambda: alloc_skb(1))
        assert skb is not None
        skb.free()
    assert (bulk.calls, bulk.live, bulk.freed) == (2, 0, 32)
    failing = SkbSlab(fails=lambda: True)
    assert failing.take(lambda: alloc_skb(1)) is None
    assert (failing.failures, failing.allocated) == (1, 0)
    with pytest.raises(ValueError, match="bulk -1"):
        SkbSlab(bulk=-1)


@given(frame=st.binary(max_size=80), head=st.integers(0, 70), tail=st.integers(0, 70))
def test_expand_keeps_the_frame_and_makes_room(frame: bytes, head: int, tail: int):
    skb = skb_from_frame(frame, headroom=8)
    skb.mac_header, skb.csum_start = skb.data, skb.data + 3
    skb.expand(head, tail)
    assert bytes(skb) == frame
    assert skb.headroom >= max(8, head)
    assert skb.tailroom >= tail
    assert skb.mac_header == skb.data
    assert skb.csum_start == skb.data + 3
    skb.pad_to(60)
    assert bytes(skb) == frame + bytes(max(0, 60 - len(frame)))


def test_expand_gives_the_old_buffer_back():
    freed: list[int] = []
    skb = build_skb(bytearray(400))
    skb.release = lambda: freed.append(1)
    skb.expand(10, 0)
    assert freed == [1]
    assert skb.release is None
    skb.free()
    assert freed == [1]


@given(st.lists(st.tuples(st.sampled_from(["put", "push", "pull", "trim"]), st.integers(0, 40)), max_size=30))
def test_against_a_list_of_bytes(steps: list[tuple[str, int]]):
    """Whatever is done, the frame is what a plain bytes object says, and positions stay in order."""
    skb: Skb = alloc_skb(96, headroom=32)
    model = b""
    for n, (what, size) in enumerate(steps):
        fits = {
            "put": size <= skb.tailroom,
            "push": size <= skb.headroom,
            "pull": size <= len(model),
            "trim": size <= len(model),
        }[what]
        data = bytes([n & 255]) * size
        if not fits:
            with pytest.raises(SkbError):
                getattr(skb, what)(size)
        elif what == "put":
            skb.put_data(data)
            model += data
        elif what == "push":
            skb.push(size)[:] = data
            model = data + model
        elif what == "pull":
            assert bytes(skb.pull(size)) == model[:size]
            model = model[size:]
        else:
            skb.trim(size)
            model = model[:size]
        assert bytes(skb) == model == bytes(skb.view())
        assert skb.head <= skb.data <= skb.tail <= skb.end
        assert skb.headroom + len(skb) + skb.tailroom == skb.end


def test_ip_summed_has_the_kernel_values():
    assert [state.name for state in IpSummed] == ["NONE", "UNNECESSARY", "COMPLETE", "PARTIAL"]
    assert list(map(int, IpSummed)) == [0, 1, 2, 3]
