"""How hot loops are compiled: Numba, without the GIL, cached under a key of all kernel sources.

Numba's own cache notices a change in a kernel's file, not in a callee that stands elsewhere; here the
folder's name holds a hash of every kernel file, so that an old machine code can never be loaded. Where
nothing can be written, kernels are compiled in memory.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])

PACKAGE = Path(__file__).parent


def kernel_sources() -> list[Path]:
    """Every file that holds kernels: they are named for it."""
    return sorted(PACKAGE.rglob("*kernel*.py"))


def _cache_home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gossamer"


def _prepare_cache() -> bool:
    digest = blake2b(digest_size=8)
    for path in kernel_sources():
        digest.update(path.read_bytes())
    folder = _cache_home() / f"kernels-{digest.hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))
    return os.access(folder, os.W_OK)


_CACHED = _prepare_cache()


def spare_linear_algebra() -> None:
    """Lets a short-lived process load its first kernel a fifth of a second sooner.

    Numba imports SciPy, where it is installed, only to learn whether kernels may multiply matrices. Ours
    never do. A process that also runs kernels of others must not call this: theirs may.
    """
    if "scipy" in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    hidden: dict[str, Any] = sys.modules  # None there means: cannot be imported
    hidden["scipy"] = None
    try:
        import numba.np.arraymath  # noqa: F401 (it is here that Numba asks)
    finally:
        del hidden["scipy"]


def kernel(function: F) -> F:
    """Compiles a hot loop on its first call, or loads what an earlier process compiled."""
    from numba import njit

    return cast(F, njit(cache=_CACHED, nogil=True, boundscheck=False)(function))
