"""A cache of compiled code of its own for these tests, and the many-digit arithmetic of the tests of `graph`."""

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "graph"))


@pytest.fixture(scope="session", autouse=True)
def code_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "LINKWRIGHT_CACHE", str(tmp_path_factory.mktemp("code")))
        yield
