"""Command line: the commands of the program `gossamer`, each a thin call of the library.

`main.py` assembles and runs the commands. `options.py` makes a command of an annotated function. `output.py`
and `progress.py` show results and progress in a terminal. `exit_codes.py` turns errors into messages and exit
codes.
"""
