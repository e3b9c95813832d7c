"""What touches and what sticks during a run: gaps, impacts, the mode that is held, and how it changes."""
