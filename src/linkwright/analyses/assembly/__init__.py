"""Closing a machine: configurations and velocities that meet the constraints, singular positions, starts that are locked."""
