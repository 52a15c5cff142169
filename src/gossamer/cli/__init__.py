"""The commands of the program `gossamer`, each a thin call of the library.

`main.py` assembles them; `output.py` and `progress.py` show results and progress in a terminal.
"""
