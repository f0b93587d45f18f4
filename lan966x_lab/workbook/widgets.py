"""Controls with names, and the base class of every explorer.

A control here is a native form field with a visible, tied label: the keyboard and a screen reader reach it.
ipywidgets' sliders cannot be named, so there are none; a number field steps with the arrow keys.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any

import ipywidgets
from matplotlib.figure import Figure

from .palette import MARK
from .pictures import Picture
from .svg import Svg, clean

Control = Any  # ipywidgets has no types; every control is one of its widgets

_WIDE_LABEL = {"description_width": "initial"}
_ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "4px 16px"}


def number(name: str, value: int, low: int, high: int, *, step: int = 1, tip: str = "") -> Control:
    """A whole number from ``low`` to ``high``; the arrow keys step it, and the label shows the range.

    A value outside the range that is typed in becomes the nearest allowed one.
    """
    return ipywidgets.BoundedIntText(
        value=value,
        min=low,
        max=high,
        step=step,
        description=f"{name} ({low:,}–{high:,})".replace("(-", "(−"),
        tooltip=tip or name,
        style=_WIDE_LABEL,
        layout={"width": "max-content", "max_width": "100%"},
    )


def choice(
    name: str, options: Sequence[Any] | Mapping[str, Any], value: Any = None, *, tip: str = ""
) -> Control:
    """One of several options: values, or a mapping from label to value; without ``value`` the first one.

    With the keyboard, the space bar opens the list. (JupyterLab keeps the bare arrow keys for itself.)
    """
    labelled = list(options.items()) if isinstance(options, Mapping) else list(options)
    picked = {} if value is None else {"value": value}
    return ipywidgets.Dropdown(
        options=labelled,
        description=name,
        tooltip=tip or name,
        style=_WIDE_LABEL,
        layout={"width": "max-content", "max_width": "100%"},
        **picked,
    )


def text(name: str, value: str = "", *, width: int = 320, hint: str = "", tip: str = "") -> Control:
    """A line of text of ``width`` pixels; it counts when the learner presses Enter or leaves the field.

    ``hint`` shows while the field is empty.
    """
    return ipywidgets.Text(
        value=value,
        placeholder=hint,
        description=name,
        tooltip=tip or name,
        continuous_update=False,
        style=_WIDE_LABEL,
        layout={"width": f"{width}px", "max_width": "100%"},
    )


def switch(name: str, value: bool = False, *, tip: str = "") -> Control:
    """A check box; the space bar flips it."""
    return ipywidgets.Checkbox(
        value=value, description=name, tooltip=tip or name, indent=False, layout={"width": "max-content"}
    )


def button(name: str, *, tip: str = "") -> Control:
    """A push button; :meth:`Explorer.when` gives it its action."""
    return ipywidgets.Button(description=name, tooltip=tip or name, layout={"width": "max-content"})


def whole(text: str, name: str, low: int, high: int) -> int:
    """The whole number that a learner typed: decimal, or with 0x or 0b before it.

    >>> whole("0x1f", "DSTS", 0, 511)
    31

    Raises:
        ValueError: it is no number or outside ``low`` … ``high``; the message says what to type instead.
    """
    try:
        value = int(text.strip().replace(" ", ""), 0)
    except ValueError:
        message = f"{name} = {text.strip()!r} is no whole number; type one from {low} to {high} ({high:#x})"
        raise ValueError(message) from None
    if not low <= value <= high:
        raise ValueError(f"{name} = {value} does not fit; type a number from {low} to {high} ({high:#x})")
    return value


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """A picture that answers to controls. Subclass it, and draw.

    The subclass makes its controls, passes them up, and overrides :meth:`draw`, which reads them. A change of
    any control redraws; all state is the instance's own. ``draw`` raises ``ValueError`` or ``KeyError``, with
    a kind message, for what no learner can mean: the status line shows it, and the last good picture stays.

    >>> class Square(Explorer):
    ...     def __init__(self):
    ...         self.side = number("Side", 10, 1, 40)
    ...         super().__init__("A square", [self.side])
    ...     def draw(self):
    ...         svg = Svg(60, 60, "square")
    ...         svg.rect(5, 5, self.side.value, self.side.value, fill="#0058bd")
    ...         return Picture(svg, f"The square covers {self.side.value ** 2} pixels.")
    >>> square = Square()
    >>> square.side.value = 7
    >>> print(square.static())
    The square covers 49 pixels.

    Args:
        title: what is explored, a few words.
        controls: widgets from this module, in the order of the Tab key; a nested sequence is a row of its
            own.
    """

    def __init__(self, title: str, controls: Sequence[Control | Sequence[Control]]) -> None:
        self.title = title
        self._actions: dict[Control, Callable[[], None]] = {}
        self._busy = False
        self._lock = RLock()  # JupyterLab's subshells deliver two changes in two threads
        self._picture = self.draw()
        self._frame = ipywidgets.HTML(layout={"width": "100%", "overflow": "auto hidden"})
        self._frame.add_class("lab-picture")
        if height := _height(self._picture):
            self._frame.layout.min_height = f"{height + 4}px"
        self._status = ipywidgets.HTML(layout={"width": "100%"})
        self._status.add_class("lab-status")
        self._said = ""
        heading = ipywidgets.HTML(f'<div style="font-weight:600">{clean(title)}</div>')
        rows = _rows(controls)
        boxes = [ipywidgets.HBox(row, layout=_ROW) for row in rows]
        super().__init__([heading, *boxes, self._frame, self._status], layout={"max_width": "100%"})
        self.add_class("lab-explorer")
        for control in (control for row in rows for control in row):
            if isinstance(control, ipywidgets.Button):
                control.on_click(self._changed)
            elif control.has_trait("value"):
                control.observe(lambda change: self._changed(change["owner"]), "value")
        self._show(self._picture)

    def draw(self) -> Picture:
        """Override: the picture of the controls' present values; its sentence becomes the status line."""
        raise NotImplementedError(f"{type(self).__name__} does not draw yet: override draw()")

    def when(self, control: Control, action: Callable[[], None]) -> None:
        """Before the redraw that a change of ``control`` (or a press of a button) brings, run ``action``.

        The action may set other controls: all of it leads to one redraw. It raises like :meth:`draw`.
        """
        self._actions[control] = action

    def redraw(self) -> None:
        """Draw anew, after a change that no control made."""
        self._changed(None)

    def static(self) -> Picture:
        """The present view as a static picture, for readers without a running kernel."""
        return self._picture

    @property
    def status(self) -> str:
        """The text of the status line."""
        return self._said

    def _changed(self, control: Control) -> None:
        with self._lock:
            self._change(control)

    def _change(self, control: Control) -> None:
        action = self._actions.get(control, lambda: None)
        if self._busy:  # part of a larger change, which draws at its end
            action()
            return
        self._busy = True
        try:
            action()
            picture = self.draw()
        except (ValueError, KeyError) as error:
            self._say(str(error.args[0] if error.args else error), "The picture shows the last good view.")
        except Exception as error:
            self._say(f"The lab itself failed here: {type(error).__name__}: {error}", "Please report it.")
            raise
        else:
            self._show(picture, control)
        finally:
            self._busy = False

    def _show(self, picture: Picture, moved: Control = None) -> None:
        drawing, sentence = picture.drawing(), picture.sentence
        same = drawing == self._frame.value and self._said.endswith(sentence)
        self._picture = picture
        self._frame.value = drawing
        # a control that seems to do nothing looks broken, so the status line answers in any case
        self._say(
            f"{moved.description}: the picture stays as it is. {sentence}" if same and moved else sentence
        )

    def _say(self, what: str, trouble: str = "") -> None:
        self._said = f"{what.rstrip('.')}. {trouble}" if trouble else what
        mark = f"border-left:4px solid {MARK['bad']};padding-left:8px;" if trouble else ""
        self._status.value = (
            f'<div role="status" aria-live="polite" style="{mark}min-height:2.8em;line-height:1.4">'
            f"{clean(self._said)}</div>"
        )

    def __repr__(self) -> str:
        return f"{self.title}. {self._said}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return {**super()._repr_mimebundle_(**options), "text/plain": repr(self)}


def _rows(controls: Sequence[Control | Sequence[Control]]) -> list[list[Control]]:
    """Neighbouring single controls share a row; a nested sequence is a row of its own."""
    rows: list[list[Control]] = []
    open_row = False
    for control in controls:
        if isinstance(control, ipywidgets.Widget):
            if not open_row:
                rows.append([])
            rows[-1].append(control)
            open_row = True
        else:
            rows.append(list(control))
            open_row = False
    return rows


def _height(picture: Picture) -> int:
    """The height of the drawing in CSS pixels, 0 when it is a bare string."""
    if isinstance(picture.body, Figure):
        return round(picture.body.get_figheight() * 96)
    return picture.body.height if isinstance(picture.body, Svg) else 0
