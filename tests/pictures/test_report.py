"""Report folders: what they hold, and what they refuse."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure as Sheet

from hitogata.errors import ArgumentError
from hitogata.pictures import Plot, Replay, Section, Table, write_report


class Links(HTMLParser):
    def __init__(self, page: str):
        super().__init__()
        self.links, self.words = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data):
        self.words.append(data.strip())


def sheet():
    drawing = Sheet(figsize=(2, 1))
    drawing.subplots().plot([0, 1], [1, 0])
    return drawing


@pytest.fixture
def sections(tmp_path):
    (tmp_path / "the motion.html").write_text("<!doctype html><title>replay</title>")
    sheet().savefig(tmp_path / "old.png")
    return [
        Section("Motion", ["One.\n\nTwo <b>.", Replay(tmp_path / "the motion.html", "It moves")]),
        Section("Plots", [Plot(sheet(), "Drawn", name="drawn"), Plot(tmp_path / "old.png", "Old")]),
        Section("Numbers", [Table(["name", "value"], [["a", 1.23456789], ["b", np.int64(2)]], "Small")]),
    ]


def test_every_link_leads_to_a_file_in_the_folder(tmp_path, sections):
    index = write_report(tmp_path / "out" / "report", "Results & more", sections, text="Of today.")
    assert index == tmp_path / "out" / "report" / "index.html"
    links = Links(index.read_text(encoding="utf-8")).links
    files = {link for link in links if not link.startswith(("#", "data:,"))}
    assert files == {"the%20motion.html", "drawn.png", "old.png"}
    assert sorted(p.name for p in index.parent.iterdir()) == ["drawn.png", "index.html", "old.png", "the motion.html"]
    assert (index.parent / "old.png").read_bytes() == (tmp_path / "old.png").read_bytes()


def test_words_are_there_and_escaped(tmp_path, sections):
    page = write_report(tmp_path / "r", "Results & more", sections).read_text(encoding="utf-8")
    assert "<p>Two &lt;b&gt;.</p>" in page
    words = Links(page).words
    for expected in ("Results & more", "One.", "Two <b>.", "It moves", "Drawn", "Small", "name", "a", "1.235", "2"):
        assert expected in words


def test_same_bytes_every_time(tmp_path, sections):
    for name in "ab":
        write_report(tmp_path / name, "Results", sections)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_files_in_the_folder_stay_where_they_are(tmp_path, sections):
    folder = tmp_path / "r"
    (folder / "sub").mkdir(parents=True)
    sheet().savefig(folder / "sub" / "plot.png")
    index = write_report(folder, "Results", [Section("S", [Plot(folder / "sub" / "plot.png")])])
    assert "sub/plot.png" in Links(index.read_text(encoding="utf-8")).links
    assert not (folder / "plot.png").exists()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (Plot(Path("nowhere.png")), "section 'S': no such file: nowhere.png"),
        (Plot(3), "a matplotlib figure expected, got 3"),
        (Plot(sheet()), "needs a file name of its own"),
        (Plot(sheet(), name="../up"), "needs a file name of its own"),
        (Table(["a", "b"], [[1, 2], [3]]), "row 1 of a table has 1 cells, not 2"),
        (4, "text, Plot, Table or Replay expected, got 4"),
    ],
)
def test_bad_parts_are_refused_and_nothing_is_written(tmp_path, part, message):
    folder = tmp_path / "r"
    with pytest.raises(ArgumentError, match=message):
        write_report(folder, "R", [Section("S", [part])])
    assert not folder.exists()


def test_two_files_of_one_name_are_refused(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        sheet().savefig(tmp_path / name / "plot.png")
    parts = [Plot(tmp_path / name / "plot.png") for name in "ab"]
    with pytest.raises(ArgumentError, match=r"two files would be 'plot\.png'"):
        write_report(tmp_path / "r", "R", [Section("S", parts)])
