"""linkwright check"""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model, public


def check(args: Namespace) -> int:
    model, _ = open_model(args.file, args.set)
    report = watched(lambda: public("check", "check")(model), Progress("check"))
    if args.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        print(report)
    if report.ok:
        return codes.OK
    open_loop = any(f.code in ("not-closing", "contradiction") for f in report.findings)
    return codes.ASSEMBLY if open_loop else codes.MODEL
