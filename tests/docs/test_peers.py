"""The page of the recorded race, and what the command shows of it, say what the record says."""

import json

from benchmarks.programs import report

RECORDED = json.loads(report.RECORDED.read_text(encoding="utf-8"))


def test_the_page_is_that_of_the_record():
    assert report.PAGE.read_text(encoding="utf-8") == report.page(RECORDED)


def test_the_shipped_figures_are_those_of_the_record():
    assert json.loads(report.SHIPPED.read_text(encoding="utf-8")) == report.summary(RECORDED)


def test_problems_and_programs_are_all_there():
    places = RECORDED["programs"]["places"]
    assert {p["program"] for p in places} >= {
        "Linkwright",
        "MuJoCo",
        "Exudyn",
        "Pinocchio",
        "Drake",
        "Simbody",
        "DART",
        "PyDy",
    }
    assert {p["problem"] for p in places} >= {"chain-1", "chain-1000", "andrews", "bricard", "flyball", "car axis"}
