"""How is a graph shown to a room full of people?

In: a `GraphReport`. Out: one HTML page that needs nothing else, with pictures as SVG inside. The central
function is `page.render`; `svg` writes elements, `bow`, `plot` and `ring` draw one picture each.
"""
