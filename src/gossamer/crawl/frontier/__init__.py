"""Choose the next URL: politeness and order."""
