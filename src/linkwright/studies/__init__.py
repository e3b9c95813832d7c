"""Many runs of one machine: which design, not what if. Knows analyses by their names, and no particular machine."""
