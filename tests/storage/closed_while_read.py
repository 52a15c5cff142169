"""Close a catalogue again and again while threads read it: `python closed_while_read.py FILE`."""

import sys
import threading
import time
from pathlib import Path

from gossamer.model import EngineClosed
from gossamer.storage.catalogue.catalogue import Catalogue

SLOW = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) SELECT sum(x) FROM n"
ROUNDS = 40


def read(catalogue: Catalogue, ends: list[str]) -> None:
    try:
        while True:
            assert list(catalogue._rows(SLOW)) == [(200_010_000,)]
    except EngineClosed as error:
        ends.append(str(error))


def main(path: Path) -> None:
    Catalogue(path, create=True).close()
    ends: list[str] = []
    for _ in range(ROUNDS):
        catalogue = Catalogue(path, read_only=True)
        readers = [threading.Thread(target=read, args=(catalogue, ends)) for _ in range(2)]
        for one in readers:
            one.start()
        time.sleep(0.005)
        catalogue.close()
        for one in readers:
            one.join()
    assert len(ends) == 2 * ROUNDS
    assert "is closed" in ends[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
