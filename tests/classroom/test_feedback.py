"""The pages and tables that come out: hostile text stays text, colours can be read, sums are right."""

import csv
import json
import re
from collections import Counter
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from grading_support import NAME, named, solution, submission
from hypothesis import example, given
from hypothesis import strategies as st

from lan966x_lab.workbook.classroom.grader import autograde
from lan966x_lab.workbook.classroom.grader.feedback import feedback
from lan966x_lab.workbook.classroom.grader.grading import Graded
from lan966x_lab.workbook.classroom.grader.page import DARK, LIGHT, number, page
from lan966x_lab.workbook.classroom.grader.prose import LONGEST, prose
from lan966x_lab.workbook.classroom.grader.report import (
    checks_csv,
    mistakes,
    picture,
    points_csv,
    summary,
    write_all,
)
from lan966x_lab.workbook.classroom.grader.results import Piece, Result, State
from lan966x_lab.workbook.classroom.grader.sandbox import Protection
from lan966x_lab.workbook.classroom.grader.submissions import Damaged, Exercise
from lan966x_lab.workbook.classroom.handout import hand_out
from lan966x_lab.workbook.palette import MARK, contrast

NARRATION = (
    "double: wrong, step 1 of 3.\nDid: double(3)\nShould have seen: 6\nSaw: 9\nWhy: that is the square."
)
PIECES = (
    Piece("double", State.ANSWER, "\ndef double(x):\n    return x * x", is_code=True),
    Piece("check_double", State.WRONG, NARRATION, 0, 2),
    Piece("total", State.BLANK, "", is_code=True),
    Piece("check_total", State.RIGHT, "total: right. Hidden checks passed (2).", 3, 3),
    Piece("check_spell", State.PARTLY, "1.5 of 2 points.", 1.5, 2),
    Piece("essay_why", State.WAITING, "Because\nit *counts*.", None, 4),
)
RESULT = Result("ann", NAME, "Double and count", f"ann/{NAME}.ipynb", "k", PIECES, ("A note.",))
OPEN = Protection(())
VOID = {"meta", "img", "rect", "line", "path", "br", "hr"}
SET = set(
    re.findall(
        r"\w+",
        """
    div pre code p br hr h4 h5 h6 ul ol li blockquote em strong del a table thead tbody tr th td""",
    )
)
MARKS = [
    *("<", ">", "</", "<a href=", "<!--", "[", "](", ")", "![", "*", "_", "`", "```\n", "$", "$$", "\\", "|"),
    *("\n", "\n\n", "> ", "- ", "# ", "javascript:", "http://", "'", '"', "&", "&lt;", "|-|\n", "    "),
    *("<script>", "[x]: "),
]
LEADS = re.compile(r"(https?://|mailto:)", re.IGNORECASE)


class Outline(HTMLParser):
    """Checks that every element is closed in its place, and collects what a page consists of."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.attributes: set[tuple[str, str]] = set()
        self.feed(content.decode())
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def test_a_page_says_what_was_written_what_was_seen_and_what_it_is_worth() -> None:
    outline = Outline(feedback("ann", [RESULT]))
    assert "4.5 of 11 points, and 4 wait for a person" in outline.text
    for words in (
        "def double(x):",
        "Should have seen",
        "that is the square.",
        "✗ check_double: not right yet",
    ):
        assert words in outline.text
    for words in (
        "0 of 2 points",
        "3 of 3 points",
        "1.5 of 2 points",
        "? of 4 points",
        "A note.",
        "it counts.",
    ):
        assert words in outline.text
    assert "As it was handed out: nothing was written here." in outline.text
    assert outline.tags.count("h1") == 1
    assert "dl" in outline.tags
    assert "table" not in outline.tags  # one exercise needs no overview


def test_two_exercises_have_an_overview_that_leads_to_them() -> None:
    other = Result(
        "ann", "78_other", "Other", "ann/78_other.ipynb", "k", (Piece("c", State.RIGHT, "Right.", 1, 1),)
    )
    content = feedback("ann", [RESULT, other])
    outline = Outline(content)
    assert outline.ids == [NAME, "78_other"]
    assert [f'href="#{name}"' in content.decode() for name in outline.ids] == [True, True]
    assert "5.5 of 12 points" in outline.text


def test_a_student_of_whom_nothing_could_be_graded() -> None:
    outline = Outline(feedback("bob", [], [Damaged("bob", "bob/x.ipynb", "is empty; save the notebook")]))
    assert "This file is empty; save the notebook." in outline.text
    assert "points" not in outline.text


@given(text=st.text(max_size=60), student=st.text(min_size=1, max_size=20))
def test_whatever_a_learner_writes_stays_text(text: str, student: str) -> None:
    """The same elements in the same order as with harmless words: nothing that was written became one."""

    def pages(words: str, name: str) -> list[bytes]:
        pieces = (
            Piece("a", State.ANSWER, words, is_code=True),
            Piece("b", State.WRONG, f"Why: {words!r}", 0, 1),
        )
        result = Result(name, NAME, words, words, "k", pieces, (words,))
        damaged = Damaged(name, words, words)
        return [feedback(name, [result], [damaged]), summary(Graded((result,), (damaged,), 0, OPEN))]

    for hostile, harmless in zip(pages(text, student), pages("x", "y"), strict=True):
        assert Outline(hostile).tags == Outline(harmless).tags


@given(
    st.text(max_size=80) | st.lists(st.sampled_from(MARKS) | st.text(max_size=4), max_size=30).map("".join)
)
@example("<script>alert(1)</script>")
@example("</div></section></main><h1>mine</h1>")
@example("<img src=http://tracker.example/x onerror=alert(1)>\n<b onclick=alert(1)>unclosed")
@example("a <b title='</div>'> &lt;script&gt; <!-- --><style>*{display:none}</style>")
@example('```x" onload="alert(1)\n</code></pre><script>\n```')
@example("$$</div><script>$$ \\\\begin{a}</div>\\\\end{a} \\\\(<b>\\\\)")
@example('![a](attachment:none.png) <http://a"onclick="alert(1)>')
@example("[a](http://x 'title' onclick=alert(1)) [b](<http://x\"onclick=alert(1)>)")
def test_prose_becomes_harmless_elements_and_nothing_else(words: str) -> None:
    """Read with a parser of HTML, inside the page: known elements, closed in their place; links alone."""
    empty, full = (
        Outline(
            feedback("ann", [Result("ann", NAME, "T", "p", "k", (Piece("c", State.WAITING, said, None, 1),))])
        )
        for said in ("", words)
    )
    added = Counter(full.tags) - Counter(empty.tags)
    assert not Counter(empty.tags) - Counter(full.tags)
    assert set(added) <= SET
    assert full.ids == empty.ids
    for name, value in full.attributes - empty.attributes:
        assert (name, value) in [("class", "prose")] or (name == "href" and LEADS.match(value))
    assert Outline(b"<main>" + prose(words).encode("utf-8", "replace") + b"</main>").tags[0] == "main"


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("&#106;avascript:alert(1)", None),
        ("java&Tab;script:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("vbscript:x", None),
        ("data:text/html,<script>alert(1)</script>", None),
        ("file:///etc/passwd", None),
        ("//tracker.example/x", None),
        ("../points.csv", None),
        ("#results", None),
        ("https://example.org/?a=1&b=2", "https://example.org/?a=1&amp;b=2"),
        ("mailto:ann@example.org", "mailto:ann@example.org"),
    ],
)
def test_links_lead_to_the_web_or_nowhere(target: str, shown: str | None) -> None:
    for words in (f"[here](<{target}>)", f"[here][x]\n\n[x]: <{target}>", f"<{target}>", target):
        found = re.findall(r'href="([^"]*)"', prose(words))
        assert set(found) <= ({shown} if shown else set()), words
    assert (shown in prose(f"[here](<{target}>)")) if shown else ("href" not in prose(f"[here]({target})"))


def test_markdown_is_set_as_in_jupyterlab() -> None:
    words = "# Why\n\nIt *counts*, **twice**: `a<b`, ~~not~~.\n\n1. one\n2. two\n\n- x\n\n> said\n\n"
    words += "|a|b|\n|-|-|\n|1|2|\n"
    tags = Outline(prose(words).encode()).tags
    for tag in ("h4", "em", "strong", "code", "del", "ol", "ul", "blockquote", "table", "th", "td"):
        assert tag in tags
    assert (
        Outline(prose("```c\nif (a < b && c)\n\tx();\n```").encode()).text.strip()
        == "if (a < b && c)\n\tx();"
    )
    assert "$a_1 * b_1 * c$" in prose("$a_1 * b_1 * c$")  # a formula stays one


def test_nothing_that_was_written_is_hidden_from_the_teacher() -> None:
    words = "So <!-- note --> <span style='display:none'>this</span> ![alt](http://x/y.png) [x](javascript:z)"
    shown = Outline(prose(words).encode()).text
    for part in ("<!-- note -->", "display:none", "this", "alt", "http://x/y.png", "javascript:z"):
        assert part in shown


@pytest.mark.parametrize("words", ["x" * (LONGEST + 1), "<b>*" * LONGEST])
def test_prose_that_is_too_long_stays_as_it_was_typed(words: str) -> None:
    assert Outline(prose(words).encode()).tags == ["pre"]
    assert Outline(prose(words).encode()).text == words


def test_prose_that_is_nested_too_deep_stays_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(*_: object) -> str:
        raise RecursionError

    monkeypatch.setattr("lan966x_lab.workbook.classroom.grader.prose.MarkdownWithMath.render", deep)
    assert prose("*x*<b>") == '<pre class="prose">*x*&lt;b&gt;</pre>'


@pytest.mark.parametrize(
    "words", ["<script>alert(1)</script>", "</pre><h1>", "&lt;", "]]>", "<!--", "\ud800", "\x00"]
)
def test_hostile_words_are_shown_as_they_are(words: str) -> None:
    said = f"{words}: wrong.\nSaw: {words}\nWhy: {words}\n{words}"
    pieces = (Piece("a", State.ANSWER, words, is_code=True), Piece("b", State.WRONG, said, 0, 1))
    shown = Outline(feedback(words, [Result("ann", NAME, words, words, "k", pieces, (words,))])).text
    assert shown.count(words.replace("\ud800", "\ufffd").replace("\x00", "\ufffd")) == 10


def test_a_page_fetches_nothing() -> None:
    content = page("x", "").decode()
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in content
    assert '<html lang="en">' in content
    for text in (feedback("ann", [RESULT]).decode(), summary(Graded((RESULT,), (), 0, OPEN)).decode()):
        assert not re.search(r"(src|href)=[\"'](?!#|feedback/)", text)
        assert "url(" not in text
        assert "@import" not in text


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_colours_can_be_read(colours: dict[str, str]) -> None:
    for ground in ("page", "box"):
        for role in ("ink", "muted", "link"):
            assert contrast(colours[role], colours[ground]) >= 4.5, (role, ground)
        for name, mark in MARK.items():
            assert contrast(mark, colours[ground]) >= 3, (name, ground)
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize(
    ("value", "shown"), [(3.0, "3"), (2.5, "2.5"), (4 / 3, "1.33"), (0.0, "0"), (100.0, "100")]
)
def test_points_as_people_write_them(value: float, shown: str) -> None:
    assert number(value) == shown


# mistakes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (NARRATION, ["that is the square."]),
        (NARRATION.partition("\nWhy")[0], ["wrong at: double(3)"]),
        ("double: not started.\nIt says: add", ["double: not started."]),
        ("double: wrong. It is an int, and a function is asked for.", None),
        (
            "test_ptp: wrong.\nIt fails on the right version.\nNext: think.",
            ["It fails on the right version."],
        ),
        ("test_ptp: wrong. Caught 0 of 2.\nIt asserts nothing.\nMissed B1: a.", ["It asserts nothing."]),
        (
            "test_ptp: almost. Caught 1 of 3.\nMissed B2: a.\nMissed B3: b.",
            ["Missed B2: a.", "Missed B3: b."],
        ),
        ("", [""]),
    ],
)
def test_the_sentences_of_a_mistake(text: str, sentences: list[str] | None) -> None:
    assert list(Piece("c", State.WRONG, text, 0, 1).mistakes) == (sentences or [text])


def many(*sentences: str) -> list[Result]:
    return [
        Result(
            f"s{n}",
            NAME,
            "T",
            "p",
            "k",
            (Piece("check_double", State.WRONG, f"x: wrong.\nWhy: {sentence}", 0, 2),),
        )
        for n, sentence in enumerate(sentences)
    ]


def test_the_commonest_comes_first_and_right_answers_are_none() -> None:
    found = mistakes([*many("b", "a", "b", "c"), RESULT])
    assert [(each.sentence, len(each.students)) for each in found] == [
        ("b", 2), ("a", 1), ("c", 1), ("that is the square.", 1), ("1.5 of 2 points.", 1)
    ]  # fmt: skip
    assert found[0].students == ("s0", "s2")


def test_a_mistake_that_comes_from_an_earlier_function_is_not_counted_again() -> None:
    notebook = submission(
        {"double": "def double(x):\n    return x * x", "total": "def total(values):\n    return double(3)"}
    )
    for name in ("check_double", "check_total", "check_spell"):
        named(notebook, name).outputs = [error("AssertionError", f"{name}: wrong.\nWhy: {name}.")]
    nothing = {"check_double": 0.0, "check_total": 0.0, "check_spell": 0.0}
    pieces, _ = autograde.pieces(notebook, hand_out(solution(), NAME), nothing, frozenset())
    assert {piece.name: piece.calls for piece in pieces if piece.name in nothing} == {
        "check_double": "", "check_total": "double", "check_spell": ""
    }  # fmt: skip
    result = Result("ann", NAME, "T", "p", "k", tuple(pieces))
    assert [each.check for each in mistakes([result])] == ["check_double", "check_spell"]
    page = Outline(feedback("ann", [result])).text
    assert page.count("It calls double, which is not right yet: begin there.") == 1
    assert Result.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_ties_stand_as_in_the_exercise_and_a_blank_is_no_mistake() -> None:
    pieces = (
        Piece("check_z", State.WRONG, "z: wrong.\nWhy: z", 0, 2),
        Piece("check_a", State.PARTLY, "a: almost.\nMissed A1: one.\nMissed A2: two.", 1, 3),
        Piece("check_m", State.NOT_STARTED, "m: not started.\nIt says: begin", 0, 2),
    )
    result = Result("ann", NAME, "T", "p", "k", pieces)
    found = mistakes([result])
    assert [each.sentence for each in found] == ["z", "Missed A1: one.", "Missed A2: two."]
    assert [row["verdict"] for row in table(checks_csv([result]))] == [
        "z", "Missed A1: one. Missed A2: two.", "m: not started."
    ]  # fmt: skip


def test_the_picture_shows_ten_and_says_the_first() -> None:
    found = mistakes(many(*"aabcdefghijklm"))
    drawn = picture(found, 14)
    assert str(drawn) == f"2 of 14 students get the commonest verdict, in check_double of {NAME}: a"
    assert drawn.drawing().count("check_double") == 10
    bars = [float(width) for width in re.findall(r"width='([\d.]+)' height='18'", drawn.drawing())]
    assert bars[0] == pytest.approx(2 * bars[1], abs=0.02)


def test_the_summary_counts_and_links() -> None:
    damaged = Damaged("b?b", "b?b/x.ipynb", "is empty")
    content = summary(Graded((RESULT,), (damaged,), 0, Protection((), "there is none")))
    outline = Outline(content)
    assert (
        "1 of 2 submissions graded, 2 students, 4 points wait for a person, 1 could not be graded."
        in outline.text
    )
    assert 'href="feedback/b%3Fb.html"' in content.decode()
    assert "there is none. Its code could use the network" in outline.text
    assert "is empty" in outline.text
    assert "svg" in outline.tags


def test_a_class_without_a_mistake() -> None:
    right = Result("ann", NAME, "T", "p", "k", (Piece("c", State.RIGHT, "Right.", 1, 1),))
    outline = Outline(summary(Graded((right,), (), 0, OPEN)))
    assert "No check found a mistake." in outline.text
    assert "svg" not in outline.tags


# tables -----------------------------------------------------------------------------------------------------


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode(), newline="")))


def test_what_was_not_handed_in_is_empty_and_counts_in_of() -> None:
    other = Result("bob", "78_other", "Other", "p", "k", (Piece("c", State.RIGHT, "Right.", 1, 1),))
    ann, bob = table(points_csv(Graded((RESULT, other), (), 0, OPEN)))
    assert list(ann) == ["student", NAME, "78_other", "total", "of", "waiting", "remarks"]
    assert list(ann.values()) == ["ann", "4.5", "", "4.5", "12", "4", "A note."]
    assert (bob[NAME], bob["78_other"], bob["total"]) == ("", "1", "1")


@pytest.mark.parametrize("sign", "=+-@")
def test_no_spreadsheet_takes_a_learners_words_for_a_formula(sign: str) -> None:
    words = f"{sign}cmd|'/c calc'!A1\tand more"
    result = Result(words, NAME, "T", "p", "k", (Piece("c", State.WRONG, f"{words}", 0, 1),), (words,))
    (row,) = table(points_csv(Graded((result,), (), 0, OPEN)))
    (check,) = table(checks_csv([result]))
    for shown in (row["student"], row["remarks"], check["student"], check["verdict"]):
        assert shown.startswith(f"'{sign}cmd")
        assert "\t" not in shown


def test_all_files_are_written(tmp_path: Path) -> None:
    graded = Graded((RESULT,), (Damaged("bob", "bob/x.ipynb", "is empty"),), 0, OPEN)
    written = write_all(graded, tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in written) == [
        "checks.csv", "feedback/ann.html", "feedback/bob.html", "points.csv", "summary.html"
    ]  # fmt: skip
    assert all(path.read_bytes() for path in written)


def test_long_names_cost_nobody_their_feedback(tmp_path: Path) -> None:
    names = [f"{'学' * 80}{end}" for end in "ab"]  # 241 bytes, as a folder may have
    damaged = tuple(Damaged(name, f"{name}/x.ipynb", "is empty") for name in names)
    pages = [path for path in write_all(Graded((), damaged, 0, OPEN), tmp_path) if path.parent != tmp_path]
    assert len(set(pages)) == len(names)
    links = re.findall(r'href="(feedback/[^"]+)"', (tmp_path / "summary.html").read_text())
    assert {tmp_path / unquote(link) for link in links} == set(pages)
    for name, path in zip(names, pages, strict=True):
        assert name in path.read_text()


# from the executed notebook to its pieces -------------------------------------------------------------------


def executed(**outputs: nbformat.NotebookNode) -> nbformat.NotebookNode:
    notebook = submission()
    for name, output in outputs.items():
        named(notebook, name).outputs = [output]
    return notebook


def error(name: str, text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_output("error", ename=name, evalue=text, traceback=["secret_steps = hidden"])


@pytest.mark.parametrize(
    ("output", "points", "state", "text"),
    [
        (error("AssertionError", "the narration"), 0.0, State.WRONG, "the narration"),
        (error("AssertionError", ""), 0.0, State.WRONG, "The check was stopped by AssertionError"),
        (error("NameError", "name 'x'"), 0.0, State.WRONG, "The check was stopped by NameError: name 'x'"),
        (error("NotImplementedError", "do it"), 0.0, State.NOT_STARTED, "Not started.\nIt says: do it"),
        (
            error("AssertionError", "double: not started.\nIt says: x"),
            0.0,
            State.NOT_STARTED,
            "double: not started.\nIt says: x",
        ),
        (error("NotRun", "Not run: so."), 0.0, State.NOT_RUN, "Not run: so."),
        (error("TimeLimit", "Stopped."), 0.0, State.WRONG, "Stopped."),
        (
            nbformat.v4.new_output("execute_result", data={"text/plain": "double: right."}),
            2.0,
            State.RIGHT,
            "double: right.",
        ),
        (
            nbformat.v4.new_output("execute_result", data={"text/plain": "0.5"}),
            0.5,
            State.PARTLY,
            "0.5 of 2 points.",
        ),
        (nbformat.v4.new_output("stream", text="x"), 2.0, State.RIGHT, "Right."),
    ],
)
def test_what_a_check_cell_becomes(
    output: nbformat.NotebookNode, points: float, state: State, text: str
) -> None:
    pieces, _ = autograde.pieces(
        executed(check_double=output), hand_out(solution(), NAME), {"check_double": points}, frozenset()
    )
    (piece,) = (each for each in pieces if each.name == "check_double")
    assert (piece.points, piece.state, piece.text, piece.most) == (points, state, text, 2)


@given(st.text(max_size=20), st.text(max_size=20), st.data())
def test_no_hidden_line_comes_out_whatever_quotes_it(before: str, after: str, data: st.DataObject) -> None:
    handout = hand_out(solution(), NAME)
    hidden = Exercise(NAME, b"", solution(), handout).hidden
    line = data.draw(st.sampled_from(sorted(hidden)))
    notebook = executed(
        check_double=error("ValueError", f"{before}{line}{after}"),
        total=error("KeyError", f"{before}{line}{after}"),
    )
    pieces, notes = autograde.pieces(notebook, handout, {}, hidden)
    for text in [*(piece.text for piece in pieces if piece.name == "check_double"), *notes]:
        assert line not in text
        assert "quotes the hidden tests" in text


def test_a_long_verdict_is_cut() -> None:
    pieces, _ = autograde.pieces(
        executed(check_double=error("AssertionError", "x" * 10**6)),
        hand_out(solution(), NAME),
        {},
        frozenset(),
    )
    assert max(len(piece.text) for piece in pieces) == autograde.LONGEST + 1


def test_what_the_checks_import_is_watched() -> None:
    notebook = solution()
    notebook.cells.append(nbformat.v4.new_code_cell("this is no Python"))
    notebook.cells.append(
        nbformat.v4.new_code_cell("import os, lan966x_lab.net\nfrom . import x\nfrom json import loads")
    )
    assert autograde.imports(notebook) == [
        "lan966x_lab", "lan966x_lab.net", "lan966x_lab.workbook"
    ]  # fmt: skip
