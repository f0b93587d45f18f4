"""Pictures, widgets, prediction gates, checks: what a notebook imports as ``wb``.

``from lan966x_lab import workbook as wb``

Everything shown comes twice, as HTML and as plain text (the *text twin*), the same bytes on every run.

=====================  =====================================================================================
``banner()``           the set-up line
``Picture``            a drawing (``Svg`` or ``figure``) and the one sentence that says what it shows
``bar_pairs``          before and after a patch, with the kind of evidence
``table, evidence``    tables; the labels reported, counted, timed here
``source``             the package's own source, side by side
``Gate``               a prediction before the answer
``Fold, Stack``        twins that are opened with a click, and twins below each other
``Explorer``           a picture with controls (``number, choice, text, switch, button, whole``)
``Check, Step``        the check of an exercise
``palette``            the colour table
=====================  =====================================================================================
"""

from . import palette
from .checks import Check, Rung, Step, Verdict
from .gate import Gate
from .pictures import Pair, Picture, bar_pairs, figure
from .ready import banner
from .sources import Source, source
from .svg import WIDTH, Svg
from .tables import Table, evidence, table
from .twin import Fold, Stack, Twin
from .widgets import Explorer, button, choice, number, switch, text, whole

__all__ = [
    "WIDTH",
    "Check",
    "Explorer",
    "Fold",
    "Gate",
    "Pair",
    "Picture",
    "Rung",
    "Source",
    "Stack",
    "Step",
    "Svg",
    "Table",
    "Twin",
    "Verdict",
    "banner",
    "bar_pairs",
    "button",
    "choice",
    "evidence",
    "figure",
    "number",
    "palette",
    "source",
    "switch",
    "table",
    "text",
    "whole",
]
