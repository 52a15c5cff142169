"""Record what this code does, and compare another state of it with the record.

    scripts/golden record DIR       make collections with this code and record everything into DIR
    scripts/golden compare DIR      record this code over copies of the collections of DIR, and compare
    scripts/golden diff DIR OTHER   compare two records

`compare` and `diff` print a line for each kind and exit with 1 where something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from golden_recording import kinds, questions, rows, webs
from golden_recording.code_under_test import Clock
from golden_recording.rows import SUFFIX, Row

KINDS = ("web", "queries", "segments", "graph", "old", "eval", "surface")
STAGES = {"web": "web", "segments": "build", "graph": "build"}  # other kinds are stages of their own
COLLECTIONS = ("demo", "large")
META, ASKED = "golden.json", "queries.json"
TOLERANCE = {"graph": 1e-9}  # iterations may end a step earlier
TOLERANT = 1e-6
QUICK = 250  # queries of a quick record
COMMANDS, QUICK_COMMANDS = 150, 25  # searches that are also typed as commands
DEMO_SHARE = 0.4  # of the queries
ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run a command of `scripts/golden`."""
    options = _parser().parse_args()
    chosen = options.only.split(",") if options.only else list(KINDS)
    if unknown := set(chosen) - set(KINDS):
        raise SystemExit(f"there is no kind {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}")
    if options.what == "stage":
        return _stage(options, chosen)
    if options.what == "record":
        return _record(options, chosen)
    meta = _meta(options.folder)
    chosen = [kind for kind in chosen if kind in meta["kinds"]]
    if options.what == "diff":
        return _compared(options.folder, options.other, chosen, options.tolerant)
    with tempfile.TemporaryDirectory(prefix="golden-") as work:
        _run_stages(options.folder, Path(work) / "now", chosen, meta, options.judged)
        return _compared(options.folder, Path(work) / "now", chosen, options.tolerant)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "scripts/golden", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("record", "compare", "diff", "stage"))
    parser.add_argument("folder", type=Path, metavar="DIR", help="The record.")
    parser.add_argument("other", type=Path, nargs="?", help="Another record, for diff.")
    parser.add_argument("--only", metavar="KIND,...", help=f"Only these kinds, of {', '.join(KINDS)}.")
    parser.add_argument("--queries", type=int, default=3000, help="How many queries to record; 3000.")
    parser.add_argument(
        "--large", type=Path, help="A folder of WARC files or JSON lines; else a generated web."
    )
    parser.add_argument(
        "--judged", type=Path, help="A folder of test collections for eval; else eval is skipped."
    )
    parser.add_argument("--quick", action="store_true", help="Record the demo web alone, with fewer queries.")
    parser.add_argument("--tolerant", action="store_true", help="Let numbers differ by 1e-6, and ties swap.")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser


def _record(options: argparse.Namespace, chosen: list[str]) -> int:
    folder: Path = options.folder
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty: remove it, or name another folder")
    for needed, option in ((options.large, "--large"), (options.judged, "--judged")):
        if needed and not needed.is_dir():
            raise SystemExit(f"{needed} is no folder: name another with {option}")
    meta = {
        "commit": subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip(),
        "kinds": chosen,
        "queries": min(options.queries, QUICK) if options.quick else options.queries,
        "quick": options.quick,
        "large": str(options.large.resolve()) if options.large else "",
        "judged": str(options.judged.resolve()) if options.judged else "",
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n")
    _run_stages(folder, folder, chosen, meta, options.judged, making=True)
    for kind in chosen:
        file = folder / (kind + SUFFIX)
        print(f"{kind}: {len(rows.read(file)):,} recorded" if file.exists() else f"{kind}: not recorded")
    return 0


def _meta(folder: Path) -> dict[str, Any]:
    try:
        return json.loads((folder / META).read_text())
    except FileNotFoundError:
        raise SystemExit(
            f"{folder / META} is missing: make a record with scripts/golden record {folder}"
        ) from None


def _run_stages(
    record: Path,
    out: Path,
    chosen: list[str],
    meta: dict[str, Any],
    judged: Path | None,
    making: bool = False,
) -> None:
    """Run what the kinds need, each in a process of its own: clocks and loaded code do not mix."""
    stages = list(dict.fromkeys(STAGES.get(kind, kind) for kind in chosen))
    if making:
        made = {"web": True, "large": not meta["quick"], "asked": bool({"queries", "old"} & {*chosen})}
        stages = list(dict.fromkeys([*(stage for stage, is_needed in made.items() if is_needed), *stages]))
    if "queries" in stages:
        stages.insert(stages.index("queries") + 1, "shell")
    judged = judged or (Path(meta["judged"]) if meta["judged"] else None)
    for stage in stages:
        if stage == "eval" and not (judged and judged.is_dir()):
            why = f"{judged} is not there" if judged else "no folder of test collections is named"
            print(f"golden: eval skipped: {why}; name one with --judged", file=sys.stderr)
            continue
        begun = time.monotonic()
        print(f"golden: {stage} ...", end=" ", file=sys.stderr, flush=True)
        arguments = ["stage", record, "--stage", stage, "--out", out, "--only", ",".join(chosen)]
        arguments += ["--judged", judged.resolve()] if judged else []
        paths = f"{ROOT / 'src'}:{os.environ.get('PYTHONPATH', '')}"
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
        process = subprocess.run(
            [sys.executable, __file__, *map(str, arguments)], env=environment, check=False
        )
        if process.returncode:
            raise SystemExit(f"the stage {stage} failed (see above); nothing was compared")
        print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


def _stage(options: argparse.Namespace, chosen: list[str]) -> int:
    """Run one stage in this process."""
    kinds.prepare_process()
    clock = Clock(webs.NOW)
    clock.install()
    with tempfile.TemporaryDirectory(prefix="golden-") as work:
        stage = Stage(
            options.folder.resolve(), options.out.resolve(), Path(work), clock, chosen, options.judged
        )
        getattr(stage, options.stage)()
    return 0


class Stage:
    """What one process of a recording does; a method for each stage."""

    def __init__(
        self, record: Path, out: Path, work: Path, clock: Clock, chosen: list[str], judged: Path | None
    ) -> None:
        self._record, self._out, self._work, self._clock = record, out, work, clock
        self._chosen, self._judged = chosen, judged
        self._meta = _meta(record)
        self._names = [name for name in COLLECTIONS if name == "demo" or not self._meta["quick"]]

    def web(self) -> None:
        """Crawl the demo web: into the record where that is made, else into a folder for this alone."""
        making = self._record == self._out
        folder = self._record / "collections" / "demo" if making else self._work / "demo"
        self._write("web", webs.crawl_demo(folder, self._clock))

    def large(self) -> None:
        """Import the larger collection."""
        source = Path(self._meta["large"]) if self._meta["large"] else None
        webs.import_large(self._record / "collections" / "large", source, self._work)

    def asked(self) -> None:
        """Choose the queries, and keep them."""
        from gossamer import Engine

        asked = {}
        for name in self._names:
            share = DEMO_SHARE if name == "demo" else 1 - DEMO_SHARE
            wanted = round(self._meta["queries"] * (1 if self._meta["quick"] else share))
            with Engine.open(kinds.copied(self._record, name, self._work)) as engine:
                own = questions.questions(engine, name, wanted * (4 if self._meta["quick"] else 1))
                paths = questions.addresses(engine, name, 5 if self._meta["quick"] else 60)
            step = max(1, len(own) // wanted) if self._meta["quick"] else 1
            asked[name] = {"questions": own[::step], "paths": paths}
        (self._record / ASKED).write_text(json.dumps(asked, indent=1, ensure_ascii=False) + "\n", "utf-8")

    def queries(self) -> None:
        """Ask all questions in this process."""
        self._write("queries", self._each(self._asked_of))

    def _asked_of(self, name: str) -> Iterator[Row]:
        asked = self._asked(name)
        return kinds.queries(kinds.copied(self._record, name, self._work), asked["questions"], asked["paths"])

    def shell(self) -> None:
        """Add what commands print."""
        self._write("queries.shell", self._each(self._typed))

    def _typed(self, name: str) -> Iterator[Row]:
        kinds.copied(self._record, name, self._work)
        wanted = QUICK_COMMANDS if self._meta["quick"] else COMMANDS
        return kinds.shell(self._work, name, self._asked(name)["questions"], wanted)

    def build(self) -> None:
        """Index and rank copies anew; decode segments and ranks."""
        folders = {name: kinds.rebuilt(self._record, name, self._work) for name in self._names}
        if "segments" in self._chosen:
            self._write("segments", self._each(lambda name: kinds.segments(folders[name])))
        if "graph" in self._chosen:
            self._write("graph", self._each(lambda name: self._ranks(folders[name], name == "demo")))

    @staticmethod
    def _ranks(folder: Path, report: bool) -> Iterator[Row]:
        from gossamer import Engine

        with Engine.open(folder) as engine:
            yield from kinds.graph(engine, report)

    def old(self) -> None:
        """Open, check, search and extend copies of the recorded collections."""
        self._write("old", self._each(self._extended))

    def _extended(self, name: str) -> Iterator[Row]:
        folder = kinds.copied(self._record, name, self._work)
        return kinds.old(folder, self._asked(name)["questions"], self._work / "new")

    def eval(self) -> None:
        """Measure the answers to judged queries."""
        assert self._judged is not None
        self._write("eval", kinds.evaluation(self._judged, self._meta["quick"]))

    def surface(self) -> None:
        """List what users can name."""
        self._write("surface", kinds.surface(kinds.copied(self._record, "demo", self._work), self._work))

    def _asked(self, name: str) -> dict[str, Any]:
        return json.loads((self._record / ASKED).read_text("utf-8"))[name]

    def _each(self, recorded: Any) -> Iterator[Row]:
        for name in self._names:
            for key, value in recorded(name):
                yield f"{name}: {key}", value

    def _write(self, kind: str, values: Iterable[Row]) -> None:
        rows.write(self._out / (kind + SUFFIX), values)


def _compared(before: Path, after: Path, chosen: Iterable[str], tolerant: bool) -> int:
    """Compare two records, print what differs; the exit code."""
    differs = False
    for kind in chosen:
        for part in (kind, f"{kind}.shell") if kind == "queries" else (kind,):
            old, new = before / (part + SUFFIX), after / (part + SUFFIX)
            if not old.exists() or not new.exists():
                missing = old if not old.exists() else new
                print(f"{part}: skipped, {missing.name} is not in {missing.parent}")
                continue
            tolerance = max(TOLERANCE.get(kind, 0.0), TOLERANT if tolerant else 0.0)
            result = rows.compare(old, new, tolerance, ties=tolerant)
            differs |= bool(result.different)
            for line in result.told(part):
                print(line)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
