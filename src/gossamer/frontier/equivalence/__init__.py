"""Which addresses of a host are one page? Learned from copies by `equivalence.EquivalenceBook`."""
