"""Which URL next: politeness and order."""
