"""PDF, office documents, e-books, RTF, Markdown, plain text."""
