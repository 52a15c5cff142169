"""Reads docs/tour.md: its steps, and in each what is typed and what is seen.

A step is a heading with a number. What happens in it stands in blocks of three kinds:

- `console`: commands of a shell, with what they print: `gossamer`, and `curl` to ask its server.
- `browser`: what a person does and sees on the page: `open`, `type`, `press`, `click`, `see`, `miss`, `box`.
- `python`: a program.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TOUR = Path(__file__).parents[1] / "docs" / "tour.md"
ADDRESS = "http://127.0.0.1:8080"  # of the demo, as the page has it
DEEDS = ("open", "type", "press", "click", "see", "miss", "box")


@dataclass(frozen=True)
class Step:
    """One heading, and the blocks below it as (language, lines)."""

    title: str
    blocks: list[tuple[str, list[str]]]
    pictures: list[str]


def steps() -> list[Step]:
    parts = re.split(r"^## (\d+\. .+)$", TOUR.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = []
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        pictures = re.findall(r"!\[[^\]]+\]\((\S+)\)", text)
        found.append(Step(title, [(kind, own.splitlines()) for kind, own in blocks], pictures))
    return found


def deeds(step: Step) -> list[tuple[str, str]]:
    """What is done and seen on the page, in order."""
    lines = [line for kind, own in step.blocks if kind == "browser" for line in own]
    return [(line.split(None, 1)[0], line.split(None, 1)[1].strip()) for line in lines]


def commands(step: Step) -> list[tuple[str, list[str]]]:
    """The commands of a shell with the lines that are shown below each."""
    found: list[tuple[str, list[str]]] = []
    for line in [line for kind, own in step.blocks if kind == "console" for line in own]:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def asked(command: str, get: Callable[[str], str]) -> str:
    """What `curl -s ADDRESS` prints, or `curl -s ADDRESS | python -m json.tool`; `get` asks for a path."""
    curl, _, tool = command.partition(" | ")
    name, silent, address = shlex.split(curl)
    assert (name, silent) == ("curl", "-s")
    assert address.startswith(ADDRESS)
    text = get(address.removeprefix(ADDRESS))
    if not tool:
        return text
    assert tool == "python -m json.tool"
    return json.dumps(json.loads(text), indent=4)
