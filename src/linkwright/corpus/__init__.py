"""Broken machines, each with its cause, its culprits and a remedy that works, and healthy ones among them.

`linkwright bench diagnosis` runs `check` on all of them and prints the score. Many are what users of other programs asked
about in public: doors on two hinges, planar loops in space, motors on both hinges of a shaft, linkages that lock up.
"""

from linkwright.corpus.entries import Entry, entries
from linkwright.corpus.scores import Score, score

__all__ = ["Entry", "Score", "entries", "score"]
