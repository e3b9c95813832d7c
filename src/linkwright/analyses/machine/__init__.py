"""A compiled machine and what every analysis asks of it: equations, channels, reactions, output times, failures."""
