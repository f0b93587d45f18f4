"""A learner's prose as HTML: their Markdown is set, and whatever else they wrote stays text.

JupyterLab sets the same Markdown. Three things differ, since a stranger wrote this and a teacher opens it:
raw HTML is shown as it was typed, so nothing can be hidden from who grades; a picture is named, not fetched;
and formulas keep their dollars, since no script may set them. bleach goes over what comes out: a second wall.
"""

import bleach
from mistune.plugins import import_plugin
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from ...svg import clean, printable

__all__ = ["LONGEST", "prose"]

LONGEST = 10_000
"""Characters that are set: the time for hostile Markdown grows with their square."""
_TAGS = {
    *("p", "br", "hr", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "del", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_LINKS = ("http://", "https://", "mailto:")


class _Renderer(IPythonRenderer):
    def __init__(self) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)

    def heading(self, text: str, level: int, **attrs: object) -> str:
        """Below the headings of the page, which has h1 to h3."""
        return super().heading(text, min(level + 3, 6))

    def block_code(self, code: str, info: str | None = None) -> str:
        """Without colours: the page has none for them."""
        return f"<pre><code>{clean(code)}</code></pre>\n"

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to the web or to mail; of any other the target stands there, and leads nowhere."""
        if url.lower().startswith(_LINKS):
            return super().link(text, url)
        return text if text == clean(url) else f"{text} ({clean(url)})"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Its name and its place."""
        return clean(f"[picture: {text or 'without a name'}, {url[:200]}]")


def prose(text: str) -> str:
    """HTML of well-nested elements without ids, pictures or scripts; links lead to the web or to mail.

    Text that is too long, or nested too deep, is shown as it was typed.
    """
    if len(text) <= LONGEST:
        try:
            plugins = [import_plugin(name) for name in ("strikethrough", "table", "url")]
            made = MarkdownWithMath(_Renderer(), plugins=plugins).render(printable(text))
            return f'<div class="prose">{_safe(made)}</div>'
        except RecursionError:
            pass
    return f'<pre class="prose">{clean(text)}</pre>'


def _safe(html: str) -> str:
    return str(bleach.clean(html, _TAGS, {"a": _is_link}, {"http", "https", "mailto"}))


def _is_link(tag: str, name: str, value: str) -> bool:
    return name == "href" and value.lower().startswith(_LINKS)
