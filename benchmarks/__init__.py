"""What Linkwright's compiled functions cost, beside the same function in other systems. Run: python -m benchmarks."""
