"""Many runs of one machine with other values, side by side in native code; see `solve.many`."""
