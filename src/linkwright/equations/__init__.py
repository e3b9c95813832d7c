"""The mechanics: rotations, basic constraints, joints, pairs, curves, force laws, as functions of scalars."""
