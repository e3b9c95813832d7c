"""Motions that forces make: the run of a machine from event to event, by every formulation, treatment and method."""
