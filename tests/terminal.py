"""Reading a pseudo-terminal: one read gives what has arrived by then, not what was written."""

import os


def all_of(screen: int) -> str:
    """What is shown until nobody writes any more."""
    seen = b""
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:  # how Linux tells the end of a terminal
            part = b""
        if not part:
            return seen.decode()
        seen += part
