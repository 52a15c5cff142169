"""Which documents satisfy a condition."""
