"""The README tells what is there: its tables, its module map and its pictures come from the code."""

import re
from pathlib import Path

import pytest
import readme

TEXT = readme.README.read_text(encoding="utf-8")


def test_generated_parts_are_up_to_date() -> None:
    assert readme.filled(TEXT) == TEXT, "run `make readme`"


@pytest.mark.parametrize("name", readme.pictures())
def test_generated_pictures_are_up_to_date(name: str) -> None:
    stored = (readme.PICTURES / name).read_text(encoding="utf-8")
    assert stored == readme.pictures()[name] + "\n", "run `make readme`"


def test_every_picture_has_words_and_stays_small() -> None:
    found = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", TEXT)
    assert len(found) == 3
    for words, path in found:
        assert len(words.split()) > 4
        assert (readme.ROOT / path).stat().st_size < 400_000


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!https:)([^)#]+)\)", TEXT)
    assert links
    assert [link for link in links if not (readme.ROOT / link).exists()] == []


def test_every_command_of_make_is_in_the_makefile() -> None:
    makefile = (readme.ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make (\w+)", TEXT)) | set(
        re.findall(r"^make (\w+)$", TEXT, re.MULTILINE)
    ):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_a_part_without_a_place_and_a_place_without_a_part_are_refused() -> None:
    with pytest.raises(ValueError, match="needs one <!-- begin claims -->"):
        readme.filled(TEXT.replace("<!-- begin claims -->", ""))
    with pytest.raises(ValueError, match="'weather', and there is no such part"):
        readme.filled(TEXT + "<!-- begin weather -->")


def test_a_lesson_without_its_question_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks" / "01_x.ipynb"
    path.write_text('{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# X", "id": "a"}], ')
    path.write_text(path.read_text() + '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    monkeypatch.setattr(readme, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"01_x\.ipynb: its first cell has no"):
        list(readme.lessons())
