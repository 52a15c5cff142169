# Makes the project's own environment in .venv, once; sourced by the other scripts.
#   make_environment runtime    what Gossamer needs to run
#   make_environment dev        that, and what its tests need
# Needs Python 3.11 or newer and, on the first run, a package index. Nothing outside the project is changed.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

# Tests, the demo and each command start processes that import the same modules: compiled once, they load faster.
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 python3 python3.12 python3.13 python; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      printf '%s' "$candidate"
      return 0
    fi
  done
  say "Python 3.11 or newer was not found; install it, or name it: PYTHON=/path/to/python3.11 $0"
  return 1
}

make_venv() {
  local python
  python=$(find_python) || return 1
  say "making an environment in .venv with $("$python" --version) ..."
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
    rm -rf "$venv"
    say "'$python -m venv' failed; on Debian and Ubuntu: apt install python3-venv"
    return 1
  fi
}

make_environment() {
  local kind=$1 lock=$root/requirements/$1.lock stamp
  stamp=$venv/.$kind-$(cksum "$lock" "$root/pyproject.toml" | cut -d' ' -f1 | tr '\n' '-')ready
  # Two scripts at once must not install into the same environment at once.
  exec 9>"$root/.venv.lock"
  if command -v flock >/dev/null 2>&1; then flock 9; fi
  if [ ! -e "$stamp" ]; then
    "$venv/bin/python" -c '' >/dev/null 2>&1 || make_venv || return 1
    say "installing what is needed ($kind, about a minute the first time) ..."
    # Modules are compiled when they are first imported: most never are.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r "$lock" >&2 || return 1
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e "$root" >&2 || return 1
    rm -f "$venv"/.${kind}-*ready
    touch "$stamp"
    say "the environment is ready."
  fi
  exec 9>&-
}
