"""Machines at rest: equilibria and their stability."""
