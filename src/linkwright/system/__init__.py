"""A model as equations: coordinates numbered, every element traced, derivatives compiled."""

from linkwright.system.system import System

__all__ = ["System"]
