"""Results as analyses make them and people read them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import Audit, Configuration, MissingPackageError, Result
from linkwright.results.optional import needed
from results.sample_results import small


def test_a_wrong_name_is_answered_by_the_nearest_right_one() -> None:
    with pytest.raises(lw.ModelError, match=r"no channel 'bob\.w'") as caught:
        small()["bob.w"]
    assert "bob.x" in caught.value.remedy


def test_units_given_by_an_analysis_win() -> None:
    result = Result("m", np.zeros(1), {"a.x": np.zeros(1), "b": np.zeros(1)}, Audit(), units={"b": "Pa"})
    assert (result.unit("a.x"), result.unit("b")) == ("m", "Pa")


def test_without_a_model_there_is_no_drawing_and_the_error_says_so() -> None:
    assert small().drawing is None
    with pytest.raises(lw.ModelError, match="does not know what its machine looks like") as caught:
        small().animate()
    assert "model=m" in caught.value.remedy


def test_a_configuration_is_read_as_numbers_and_can_become_a_result() -> None:
    c = Configuration("m", 0.5, {"a.x": np.array([3.0])}, Audit(), np.zeros(1))
    assert c["a.x"] == 3.0
    assert c.as_result()["a.x"].tolist() == [3.0]
    assert c.as_result().t.tolist() == [0.5]


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(MissingPackageError, match="needs the package no_such_package") as caught:
        needed("no_such_package.inside", "a picture")
    assert "linkwright[full]" in caught.value.remedy
    assert isinstance(caught.value, ImportError)
