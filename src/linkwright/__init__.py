"""Linkwright: machines made of rigid bodies, assembled, moved, balanced, driven and simulated."""

__version__ = "0.1.0"
