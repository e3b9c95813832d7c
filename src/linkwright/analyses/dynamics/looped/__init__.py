"""The run of a large machine, whose equations are evaluated in loops over its elements."""
