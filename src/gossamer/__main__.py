"""`python -m gossamer` is the command `gossamer`."""

from __future__ import annotations

from gossamer.cli.main import main

if __name__ == "__main__":
    main()
