"""The frame of the classroom's pages: one file each, no scripts, for light and dark screens."""

from ...palette import EDGE, HAIRLINE, INK, MARK, MONO, MUTED, PANEL, SANS
from ...svg import clean

__all__ = ["DARK", "LIGHT", "heading", "number", "page", "table"]

LIGHT = {
    "page": PANEL,
    "box": "#f5f7f9",
    "ink": INK,
    "muted": MUTED,
    "line": HAIRLINE,
    "edge": EDGE,
    "link": "#0058bd",
}
DARK = {
    "page": "#14181d",
    "box": "#1d232a",
    "ink": "#e6eaee",
    "muted": "#a9b3be",
    "line": "#3a434d",
    "edge": "#7f8894",
    "link": "#8ab8f5",
}
"""The same roles on a dark screen; text has at least 4.5:1 on page and box, see the tests."""

_NUMBER = ' class="number"'
_STYLE = f"""
:root {{ color-scheme: light dark; VARIABLES_LIGHT }}
@media (prefers-color-scheme: dark) {{ :root {{ VARIABLES_DARK }} }}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 {SANS} }}
main {{ max-width: 960px; margin: 0 auto; padding: 32px 20px 64px }}
h1 {{ font-size: 28px; line-height: 1.25; margin: 0 0 4px }}
h2 {{ font-size: 21px; line-height: 1.3; margin: 40px 0 8px; padding-top: 20px;
  border-top: 1px solid var(--line) }}
h3 {{ font-size: 16px; margin: 24px 0 6px }}
p, ul, ol {{ margin: 8px 0 }}
summary {{ cursor: pointer }}
ul, ol {{ padding-left: 22px }}
a {{ color: var(--link) }}
code, pre, .value {{ font-family: {MONO}; font-size: 13.5px }}
.value {{ font-size: 13px }}
pre {{ background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px;
  margin: 6px 0; overflow-x: auto; line-height: 1.45; tab-size: 4 }}
.prose {{ background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 4px 14px;
  margin: 6px 0; overflow-wrap: anywhere }}
.prose pre {{ background: var(--page) }}
.prose pre, pre.prose {{ white-space: pre-wrap }}
pre.prose {{ font-family: inherit; font-size: inherit }}
.prose h4, .prose h5, .prose h6 {{ font-size: 15px; margin: 12px 0 4px }}
blockquote {{ border-left: 3px solid var(--edge); margin: 8px 0; padding-left: 12px }}
.muted {{ color: var(--muted) }}
.total {{ font-size: 19px; margin: 0 0 16px }}
.scroll {{ overflow-x: auto }}
table {{ border-collapse: collapse; margin: 12px 0; font-variant-numeric: tabular-nums }}
caption {{ text-align: left; color: var(--muted); padding-bottom: 4px }}
th, td {{ text-align: left; padding: 5px 18px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top }}
th {{ font-weight: 600 }}
td.number, th.number {{ text-align: right }}
.verdict {{ border-left: 4px solid {MARK["neutral"]}; background: var(--box); border-radius: 0 6px 6px 0;
  padding: 8px 14px 10px; margin: 8px 0 4px }}
.right {{ border-left-color: {MARK["good"]} }}
.partly {{ border-left-color: {MARK["almost"]} }}
.wrong {{ border-left-color: {MARK["bad"]} }}
.verdict header {{ display: flex; justify-content: space-between; gap: 16px; font-weight: 600 }}
.verdict header span {{ white-space: nowrap }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 6px 0 0 }}
dt {{ color: var(--muted) }}
dd {{ margin: 0; overflow-wrap: anywhere }}
.verdict p {{ margin: 4px 0 0; overflow-wrap: anywhere; white-space: pre-wrap }}
figure {{ margin: 12px 0 }}
figcaption {{ margin-top: 6px; color: var(--muted) }}
@media print {{ body {{ background: none }} h2 {{ break-after: avoid }} .verdict {{ break-inside: avoid }} }}
"""


def page(title: str, body: str) -> bytes:
    """A whole HTML document, UTF-8; ``title`` is text, ``body`` is HTML.

    Its policy forbids scripts and everything that would be fetched: whatever a learner wrote stays text.
    """
    style = _STYLE
    for name, colours in (("VARIABLES_LIGHT", LIGHT), ("VARIABLES_DARK", DARK)):
        style = style.replace(name, " ".join(f"--{role}: {colour};" for role, colour in colours.items()))
    document = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        f"<title>{clean(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    return document.encode("utf-8", "replace")


def heading(level: int, text: str, anchor: str = "") -> str:
    """A heading; ``anchor`` makes it a target of links."""
    target = f' id="{clean(anchor)}"' if anchor else ""
    return f"<h{level}{target}>{clean(text)}</h{level}>"


def table(head: list[str], rows: list[list[str]], caption: str, numbers: frozenset[int] = frozenset()) -> str:
    """A table whose cells are HTML already; the columns in ``numbers`` stand to the right."""

    def row(cells: list[str], tag: str, scope: str = "") -> str:
        marked = (
            f"<{tag}{scope}{_NUMBER if column in numbers else ''}>{cell}</{tag}>"
            for column, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    top = row(head, "th", ' scope="col"')
    return (
        f'<div class="scroll"><table><caption>{clean(caption)}</caption>\n'
        f"<thead>{top}</thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def number(value: float) -> str:
    """Points as people write them: 3, 2.5, 1.33."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
