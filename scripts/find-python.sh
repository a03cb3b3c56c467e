#!/bin/sh
# Prints the path of a Python >= 3.12 that really runs, or one clear line on stderr and exit 2.
#
# Candidates are run, not looked up: a `python3.12` on the PATH may be a version manager's shim that fails. In this order: $PYTHON (which
# must do when it is given), names on the PATH, pyenv's versions, uv's own. 3.12 is preferred among pyenv's and uv's, since the pinned
# requirements are tried most there.
set -u

least='3.12'

# Prints the interpreter's own path when candidate $1 runs and is new enough. (Its stderr is hidden: shims explain at length why they fail.)
try() {
    "$1" -c 'import sys
least = tuple(int(part) for part in sys.argv[1].split("."))
if sys.version_info[:2] < least or sys.version_info.releaselevel != "final" or sys.implementation.name != "cpython":
    sys.exit(1)
base = getattr(sys, "_base_executable", "") or sys.executable  # never a virtual environment, which may be the one to be made anew
sys.stdout.write(base + "\n")' "$least" </dev/null 2>/dev/null
}

if [ -n "${PYTHON:-}" ]; then
    try "$PYTHON" && exit 0
    echo "motherlode: PYTHON=$PYTHON does not run, or is not CPython $least or newer" >&2
    exit 2
fi

for name in python3.12 python3.13 python3.14 python3 python; do
    command -v "$name" >/dev/null 2>&1 && try "$name" && exit 0
done

# Tries every interpreter under folder $1 whose version folder matches one of the minor versions, 3.12 first.
try_under() {
    [ -d "$1" ] || return 1
    for minor in 3.12 3.13 3.14 '3.1[5-9]'; do
        # $minor is a pattern on purpose; a pattern that matches nothing stays as it is, and is no file.
        for found in "$1"/$minor.*/bin/python "$1"/cpython-$minor.*/bin/python3; do
            [ -x "$found" ] && try "$found" && return 0
        done
    done
    return 1
}

pyenv_root=$(pyenv root 2>/dev/null) || pyenv_root=''
for root in "$pyenv_root" "${PYENV_ROOT:-}" "${HOME:-}/.pyenv"; do
    [ -n "$root" ] && try_under "$root/versions" && exit 0
done

if command -v uv >/dev/null 2>&1; then
    found=$(uv python find --no-project ">=$least" 2>/dev/null) && [ -n "$found" ] && try "$found" && exit 0
fi
try_under "${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/uv/python}" && exit 0

echo "motherlode: no Python $least or newer was found; install one, or name it: make PYTHON=/path/to/python3.12 …" >&2
exit 2
