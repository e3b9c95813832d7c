"""What is wrong with a machine, and what would mend it."""
