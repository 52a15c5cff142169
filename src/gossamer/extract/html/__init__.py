"""HTML: scanner kernels, main text, links, metadata."""
