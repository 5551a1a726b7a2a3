"""The lab's pictures: well-formed SVG, a chart that shows what it was given, and files as asked."""

import sys
from xml.etree import ElementTree

import pytest

from palestra_lab import svg as drawings
from palestra_lab.chart import LEFT, PLOT_HEIGHT, PLOT_WIDTH, TOP, Series, log_chart, short_number
from palestra_lab.svg import Drawing, check, save

SVG = "{http://www.w3.org/2000/svg}"


def elements(drawing, tag):
    return list(ElementTree.fromstring(str(drawing)).iter(SVG + tag))


def test_words_that_look_like_markup_stay_words():
    drawing = Drawing(100, 50, 'a < b & "c"')
    drawing.text(1, 2, "</text><script>& ≤ ∞")
    assert [text.text for text in elements(drawing, "text")] == ["</text><script>& ≤ ∞"]
    assert [title.text for title in elements(drawing, "title")] == ['a < b & "c"']
    assert not elements(drawing, "script")


def test_a_chart_puts_ten_times_as_much_one_decade_higher():
    series = [Series("few", "", [(0, 10), (4, 1000)]), Series("many", "", [(0, 100), (4, 100)])]
    lines = elements(log_chart("title", "ply", "nodes", series), "polyline")
    few, many = ([tuple(map(float, point.split(","))) for point in line.get("points").split()] for line in lines[::2])
    assert few[0][1] == TOP + PLOT_HEIGHT  # the lowest decade
    assert few[1][1] == TOP
    assert many[0][1] == many[1][1] == TOP + PLOT_HEIGHT / 2
    assert LEFT <= few[0][0] < few[1][0] <= LEFT + PLOT_WIDTH


@pytest.mark.parametrize("points", [[(3, 7)], [(0, 1), (1, 1)], [(0, 1), (199, 10**9)]])
def test_a_chart_of_any_shape_stays_inside_its_frame(points):
    (line, _) = elements(log_chart("t", "x", "y", [Series("s", "", points)]), "polyline")
    for point in line.get("points").split():
        x, y = map(float, point.split(","))
        assert LEFT <= x <= LEFT + PLOT_WIDTH
        assert TOP <= y <= TOP + PLOT_HEIGHT


def test_the_legend_names_every_line():
    series = [Series(f"line {number}", f"remark {number}", [(0, 1), (1, number + 1)]) for number in range(12)]
    drawing = log_chart("t", "x", "y", series)
    words = {text.text for text in elements(drawing, "text")}
    assert {name for line in series for name in (line.name, line.remark)} <= words
    styles = {(line.get("stroke"), line.get("stroke-dasharray")) for line in elements(drawing, "polyline")}
    assert len(styles) == 12


@pytest.mark.parametrize(
    ("number", "shown"), [(1, "1"), (999, "999"), (1000, "1k"), (10_716_911, "10.7M"), (2.5e9, "2.5G")]
)
def test_short_numbers(number, shown):
    assert short_number(number) == shown


def test_an_svg_is_written_as_it_is(tmp_path):
    drawing = Drawing(10, 10, "t")
    save(drawing, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == str(drawing)


def test_a_picture_that_can_t_be_written_is_told_before_the_work(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"ends in \.svg or \.png, not 'a\.pdf'"):
        check(tmp_path / "a.pdf")
    with pytest.raises(ValueError, match="no folder"):
        check(tmp_path / "none" / "a.svg")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    drawings._has_font.cache_clear()
    with pytest.raises(ValueError, match="resvg-py, which is not installed"):
        check(tmp_path / "a.png")


def test_a_png_is_the_svg_at_twice_the_size(tmp_path):
    drawings._has_font.cache_clear()
    drawing = Drawing(120, 40, "t")
    drawing.text(60, 20, "8")
    if not drawings._has_font():
        with pytest.raises(ValueError, match="No font"):
            save(drawing, tmp_path / "a.png")
        return
    save(drawing, tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (240, 80)
