"""Files as faults leave them."""

from collections.abc import Iterator

import numpy as np


def damaged(data: bytes, count: int, seed: int = 4) -> Iterator[bytes]:
    """By turns cut, with one bit that is another, with bytes that are others, and with an end of zeros, as a computer leaves
    it that lost its power."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        at, bad = int(rng.integers(len(data))), bytearray(data)
        if k % 4 == 0:
            del bad[at:]
        elif k % 4 == 1:
            bad[at] ^= 1 << int(rng.integers(8))
        elif k % 4 == 2:
            bad[at : at + 20] = rng.bytes(len(bad[at : at + 20]))
        else:
            bad[at:] = bytes(len(bad) - at)
        yield bytes(bad)
