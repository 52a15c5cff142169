"""What is being asked?

In: what a person typed. Out: a `Query`, the tree of words, phrases, fields and operators, or a `BadQuery`
that knows the position. The central function is `parse.parse`: `lexer` cuts the text into pieces, `parse`
puts them together, `fields` reads the values of fields; `written` is the way back.
"""
