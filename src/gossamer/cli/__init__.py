"""What can be done from the shell? One file a command, each a thin call into the engine.

`main.py` assembles them, `failures.py` turns errors into a line and an exit code, `show.py` and `progress.py`
write to the terminal. Heavy parts are imported inside the commands, so that `gossamer --help` is quick.
"""
