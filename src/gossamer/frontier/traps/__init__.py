"""Which addresses of a host lead nowhere? A file for each kind; `traps.TrapBook` holds them together."""
