"""The command line. Starts quickly: what a command needs is imported by the command."""

from linkwright.cli.main import main

__all__ = ["main"]
