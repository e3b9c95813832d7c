"""Motions that drivers prescribe: kinematics, the forces they need, sensitivities of both."""
