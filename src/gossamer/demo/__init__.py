"""A small web to try it all on."""
