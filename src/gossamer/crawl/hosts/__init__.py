"""Knowledge about hosts: traps, equivalent URLs, mirrors, soft 404s, circuit breakers."""
