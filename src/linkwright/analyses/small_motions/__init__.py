"""Small motions about an equilibrium or a motion: eigenvalues, modes, frequency response."""
