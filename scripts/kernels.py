"""List the kernels that everyday use calls, with the types of their arguments.

    scripts/kernels

Starts with an empty cache, crawls the demo web, searches it and runs the other commands, and reads from the
files of machine code what was compiled at each stage. Takes a minute.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from gossamer import BadQuery
from gossamer.cli.output import counted
from gossamer.demo.tour import open_demo, prepare, searches, serving
from gossamer.kernels.kernel import USUAL, cache_folder
from gossamer.kernels.machine_code import read

ROOT = Path(__file__).resolve().parent.parent
QUERIES = ROOT / "scripts" / "golden_recording" / "fixed_queries.txt"
GOSSAMER = (sys.executable, "-m", "gossamer", "-C")
PAGE = "http://encyclopaedia.localhost:8808/jaguar.html"
COMMANDS = (  # after `gossamer -C DIR`
    ["rank"],
    ["search", "jaguar", "--explain"],
    ["similar", PAGE],
    ["links", PAGE],
    ["index", "--rebuild"],
    ["index", "--merge"],
    ["check"],
    ["graph", "report", "--out", "{scratch}/report"],
    ["export", "{scratch}/pages.jsonl"],
)


def main() -> int:
    """Write the list."""
    before = USUAL.read_text(encoding="utf-8")
    lines = list[str]()
    try:
        USUAL.write_text("", encoding="utf-8")  # so that nothing is compiled beforehand
        lines += [f"{stage}\t{line}" for stage, found in stages() for line in sorted(found)]
    finally:
        USUAL.write_text("\n".join(lines) + "\n" if lines else before, encoding="utf-8")
    print(f"{counted(len(lines), 'kernel')} listed in {USUAL.relative_to(ROOT)}")
    return 0


def stages() -> Iterator[tuple[str, set[str]]]:
    """Yield what each stage compiles that no earlier one did."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kernels-")))
        os.environ["XDG_CACHE_HOME"] = str(scratch / "cache")
        folder = scratch / "collection"
        server = stack.enter_context(serving(print))
        with open_demo(folder, server.port) as engine:
            prepare(engine, print)
            yield "crawl", (known := compiled())
            engine.warm_up()
            for page in searches(engine):
                print(page.query)
            engine.suggest("jag")
            yield "search", compiled() - known
            known = compiled()
            for query in QUERIES.read_text(encoding="utf-8").splitlines():
                with suppress(BadQuery):
                    engine.search(query)
        for command in COMMANDS:
            typed = [part.format(scratch=scratch) for part in command]
            print(*typed)
            subprocess.run([*GOSSAMER, str(folder), *typed], check=True, stdout=subprocess.DEVNULL)
        imported = [str(scratch / "imported"), "import", str(scratch / "pages.jsonl")]
        subprocess.run([*GOSSAMER, *imported], check=True)
        yield "rest", compiled() - known


def compiled() -> set[str]:
    """List the kernels in the cache."""
    found = [code for file in cache_folder().glob("*.code") if (code := read(file))]
    return {f"{one.module}\t{one.function}\t{len(one.code)}\t{one.arguments}" for one in found}


if __name__ == "__main__":
    sys.exit(main())
