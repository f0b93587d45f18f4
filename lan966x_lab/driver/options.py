"""The switches: one option for each thing that a patch changes, and the table from patch to options.

``Options()`` is the driver before the five threads. A driver takes new options at any time between two frames
(`Driver.options`), as if it had been rebuilt with the patch.

There is one set of switches for the drivers of all threads, and each looks at its own (`ACTS`). The others
are accepted, so that `PATCHES` can be applied one after the other whatever the path is, and do nothing;
`Options.idle` and `Board.idle_options` name them.

===================  =======================  =========  ======
option               LAN966x                  bcm4908    ravb
===================  =======================  =========  ======
ifh_codec            manual and fdma          .          .
ifh_template         manual and fdma          .          .
gate_rx_timestamp    manual and fdma          .          .
check_fifo_first     manual                   .          .
path                 it is the choice         .          .
late_skb             fdma                     yes        .
gro                  manual and fdma          yes        .
rx_checksum_offload  .                        .          yes
===================  =======================  =========  ======
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from lan966x_lab import ifh
from lan966x_lab.hw.limits import UnknownNameError

PATHS = ("manual", "fdma")
PLACES = (*PATHS, "bcm4908", "ravb")
"""Where options act: the two paths of the LAN966x driver, and the other two drivers."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the driver does differently when patched.

    Attributes:
        ifh_codec: how a header field is set and read, a name of ``ifh.CODECS``. Seed 000, 2/2.
        ifh_template: start from a header prepared once per port and change only what varies. Seed 002.
        gate_rx_timestamp: read the time of day only for ports whose receive filter asks for it. Seed 000,
            1/2.
        check_fifo_first: look at the FIFO before the timed poll, which reads the clock first. Seed 001.
        path: how frames cross between CPU and switch: ``"manual"`` (word by word) or ``"fdma"``
            (descriptors).
        late_skb: allocate only the buffer before reception and build the skb around it afterwards. Seed 003.
        gro: pass frames up through generic receive offload. The second pair of figures of seed 003.
        rx_checksum_offload: take the sum that the hardware computed. Seed 004.
    """

    ifh_codec: str = "packing"
    ifh_template: bool = False
    gate_rx_timestamp: bool = False
    check_fifo_first: bool = False
    path: str = "manual"
    late_skb: bool = False
    gro: bool = False
    rx_checksum_offload: bool = False

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("ifh_codec", self.ifh_codec, tuple(ifh.CODECS)),
            ("path", self.path, PATHS),
        ):
            if value not in allowed:
                raise ValueError(f"{name} is {value!r:.40}: choose one of {', '.join(map(repr, allowed))}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "bool" and not isinstance(value, bool):
                raise TypeError(f"{field.name} is {value!r:.40}: a switch is True or False")

    def idle(self, place: str) -> tuple[str, ...]:
        """The options that are not at their default, and change nothing at `place` (one of `PLACES`).

        >>> Options(late_skb=True, gro=True).idle("manual")
        ('late_skb',)

        Raises:
            ValueError: there is no such place.
        """
        if place not in PLACES:
            raise ValueError(f"place is {place!r:.40}: choose one of {', '.join(map(repr, PLACES))}")
        return tuple(
            field.name
            for field in fields(self)
            if getattr(self, field.name) != field.default and place not in ACTS[field.name]
        )

    def patched(self, *keys: str) -> Options:
        """These options with the named patches applied, in the given order (keys of `PATCHES`).

        Raises:
            hw.limits.UnknownNameError: no such patch (a KeyError); the message has the nearest ones.
        """
        options = self
        for key in keys:
            if not isinstance(key, str) or key not in PATCHES:
                raise UnknownNameError("patch", key, PATCHES, offer=3)
            options = replace(options, **PATCHES[key])
        return options


ACTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ifh_codec": frozenset(PATHS),
        "ifh_template": frozenset(PATHS),
        "gate_rx_timestamp": frozenset(PATHS),
        "check_fifo_first": frozenset({"manual"}),
        "path": frozenset(PATHS),
        "late_skb": frozenset({"fdma", "bcm4908"}),
        "gro": frozenset({*PATHS, "bcm4908"}),
        "rx_checksum_offload": frozenset({"ravb"}),
    }
)
"""Where each option changes something."""


def checked(options: Options) -> Options:
    """The options that a driver is given, if they are some.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(options, Options):
        raise TypeError(f"options are {options!r:.40}: give driver.Options(...), or Options().patched('001')")
    return options


PATCHES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "000/1": MappingProxyType({"gate_rx_timestamp": True}),
        "000/2": MappingProxyType({"ifh_codec": "bit_loop"}),
        "000/2 v2": MappingProxyType({"ifh_codec": "byte_shift"}),
        "001": MappingProxyType({"check_fifo_first": True}),
        "002": MappingProxyType({"ifh_template": True}),
        "003": MappingProxyType({"late_skb": True}),
        "004": MappingProxyType({"rx_checksum_offload": True}),
    }
)
"""From the seeds' patches to options. The key is the seed's number, and behind a slash the part of its
series; ``"000/2 v2"`` is what was merged of 000 2/2 after the review.
"""
