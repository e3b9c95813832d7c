"""The recorded run of the corpus in other programs has every machine, and none that was translated wrongly."""

from __future__ import annotations

import json
from pathlib import Path

from linkwright.corpus import entries

RECORDED = Path(__file__).resolve().parents[2] / "benchmarks" / "broken" / "recorded.json"


def test_the_record_has_every_machine_of_the_corpus():
    rows = json.loads(RECORDED.read_text(encoding="utf-8"))["machines"]
    assert [(r["machine"], r["code"], r["elements"]) for r in rows] == [
        (e.name, e.code, sorted(e.elements)) for e in entries()
    ]
    outcomes = {r[p]["outcome"] for r in rows for p in ("MuJoCo", "Exudyn")}
    assert outcomes <= {"ran", "warned", "stopped", "refused", "crashed", "inexpressible"}
