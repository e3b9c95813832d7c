"""Machines from and for other programs: URDF and MJCF in and out, C and FMU out, meshes and tables in."""
