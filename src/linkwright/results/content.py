"""What every file of results holds: times, channels, their units, texts (audit, provenance, model)."""

from __future__ import annotations

import numpy as np

Content = tuple[np.ndarray, dict[str, np.ndarray], dict[str, str], dict[str, str]]
