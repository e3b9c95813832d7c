"""The books' position equations, inertia and force laws: functions of scalars. They know no models and no solvers.

`linkwright.equations(model)` is also the analysis of that name. Importing anything from this folder puts the folder in
its place, so the folder can be called, too.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Folder(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return import_module("linkwright.analyses.matrices.equations").equations(*args, **kwargs)


sys.modules[__name__].__class__ = _Folder
