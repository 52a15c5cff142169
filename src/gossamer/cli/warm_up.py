"""Command warm-up."""

from __future__ import annotations

import sys
import time

from gossamer.cli.exit_codes import FAILED
from gossamer.cli.options import QUIET, Exit
from gossamer.cli.output import clean, counted
from gossamer.cli.progress import warm_up as compile_all
from gossamer.model import UsageError

WARM_UP_EXAMPLES = ("gossamer warm-up",)


def warm_up(quiet: bool = QUIET) -> None:
    """Compile the kernels now, so that no later command has to.

    Kernels are the inner loops of Gossamer. Each is compiled once on a machine, and again after an
    update that changes it. Without this command, `crawl`, `search` and `serve` first compile those that
    they need. The machine code is kept in $XDG_CACHE_HOME/gossamer/kernels, or in ~/.cache/gossamer/kernels.
    """
    from gossamer.kernels.kernel import cache_folder
    from gossamer.kernels.warm_up import STAGES

    begun = time.monotonic()
    try:
        done = compile_all(STAGES, quiet)
    except OSError as error:
        advice = f"{error.strerror or error}; name another folder: XDG_CACHE_HOME=DIR"
        raise UsageError(f"{cache_folder()}: {advice}") from None
    for line in done.failed:
        print(f"gossamer: {clean(line)}", file=sys.stderr)
    seconds, found = time.monotonic() - begun, f"{done.found:,} compiled before, in {cache_folder()}"
    print(f"{counted(done.compiled, 'kernel')} compiled in {seconds:.1f} s, {found}")
    if done.failed:
        raise Exit(FAILED)
