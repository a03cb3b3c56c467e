#!/bin/sh
# Makes .venv with the pinned requirements and this project in it, or finds that it stands and leaves it alone.
#
# Whole is only what carries the stamp, which is written last; what was begun and not finished is made anew. Two setups at once: the second
# waits, and then finds the work done.
set -eu

cd "$(dirname "$0")/.."
venv='.venv'
stamp="$venv/motherlode-stamp"
begun="$venv/motherlode-begun"
need_kb=8000000

say() { echo "motherlode: $*" >&2; }

# What the environment was made from: pins, project metadata, place, and the interpreter that it stands on.
fingerprint() {
    cat requirements/*.txt pyproject.toml scripts/setup.sh | cksum
    pwd -P
    "$venv/bin/python" -c 'import sys; print(sys.version); print(sys.base_prefix)' 2>/dev/null
}

stands() {
    [ -f "$stamp" ] && [ ! -e "$begun" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ] && [ -x "$venv/bin/lode" ] || return 1
    # A Python that was asked for by name must be the one that the environment stands on.
    [ -z "${PYTHON:-}" ] || [ "$(base_of "$PYTHON")" = "$(base_of "$venv/bin/python")" ]
}

base_of() { "$1" -c 'import sys; print(sys.base_prefix, sys.version_info[:3])' 2>/dev/null || echo "none: $1"; }

if stands; then
    exit 0
fi

python=$(sh scripts/find-python.sh) || exit 2

if [ "${MOTHERLODE_SETUP_LOCKED:-}" != "$PPID-$$" ]; then
    # The kernel drops the lock when its holder ends, however it ends. The same process goes on under the lock, so its id proves it.
    exec "$python" -c 'import fcntl, os, sys
handle = os.open(".venv-setup.lock", os.O_CREAT | os.O_RDWR, 0o666)
try:
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("motherlode: another setup is at work here; waiting for it", file=sys.stderr)
    fcntl.flock(handle, fcntl.LOCK_EX)
os.set_inheritable(handle, True)
os.environ["MOTHERLODE_SETUP_LOCKED"] = f"{os.getppid()}-{os.getpid()}"
os.execvp("sh", ["sh", "scripts/setup.sh"])'
fi

if [ -e "$begun" ]; then
    say 'an earlier setup was interrupted; making .venv anew'
    rm -rf "$venv"
elif [ -d "$venv" ] && { ! try_version=$("$venv/bin/python" -c 'import sys; print(sys.version_info >= (3, 12))' 2>/dev/null) || [ "$try_version" != True ]; }; then
    say "the Python of $venv does not run, or is too old; making it anew"
    rm -rf "$venv"
elif [ -d "$venv" ] && [ -n "${PYTHON:-}" ] && [ "$(base_of "$PYTHON")" != "$(base_of "$venv/bin/python")" ]; then
    say "$venv stands on another Python than $PYTHON; making it anew"
    rm -rf "$venv"
elif [ -f "$stamp" ] && [ "$(sed -n 2p "$stamp")" != "$(pwd -P)" ]; then
    say "$venv was made in another place; making it anew"
    rm -rf "$venv"
fi

trap 'code=$?; [ "$code" = 0 ] || say "the set-up did not finish (see above); running it again makes it anew"; exit "$code"' EXIT

if [ ! -d "$venv" ]; then
    free_kb=$(df -Pk . | awk 'NR == 2 { print $4 }')
    [ "${free_kb:-$need_kb}" -ge "$need_kb" ] || say "only $((free_kb / 1000000)) GB are free here; the environment takes about 7 GB"
    say "making $venv with $("$python" -V) (about 7 GB; one to five minutes)"
    mkdir "$venv"
    : >"$begun"
    "$python" -m venv --without-pip "$venv"
else
    say "bringing $venv up to date"
    : >"$begun"
fi
rm -f "$stamp"

# uv installs in about a minute what pip installs in four. It lives in an environment of its own; any pip can fetch it. $UV names another.
boot="$venv/uv-bootstrap"
pip_install='-m pip install --quiet --disable-pip-version-check --no-cache-dir --no-input'
if [ -n "${UV:-}" ]; then
    uv="$UV"
elif [ -x "$boot/bin/uv" ] && "$boot/bin/uv" --version >/dev/null 2>&1; then
    uv="$boot/bin/uv"
elif "$python" -m venv "$boot" >/dev/null 2>&1 && "$boot/bin/python" $pip_install -r requirements/uv.txt; then
    uv="$boot/bin/uv"
elif rm -rf "$boot" && "$python" -m pip --version >/dev/null 2>&1 && "$python" $pip_install --target "$boot" -r requirements/uv.txt; then
    uv="$boot/bin/uv"
elif command -v uv >/dev/null 2>&1; then
    uv=$(command -v uv)
else
    say "$python can neither make a virtual environment nor run pip (on Debian: apt-get install python3-venv), and there is no uv"
    exit 2
fi

# Without a home there is no place for a cache; one beside the environment shares its files by hard links, and goes when they are placed.
if [ -z "${UV_CACHE_DIR:-}" ] && { [ -z "${HOME:-}" ] || [ ! -d "${HOME:-}" ] || [ ! -w "${HOME:-}" ]; }; then
    UV_CACHE_DIR="$(pwd)/$venv/uv-cache"
    export UV_CACHE_DIR
fi

# --no-deps: the pins are complete, and leave out what Ludwig asks for and tabular and text training never touch (requirements/overrides.txt).
# Compiled bytecode: without it importing Ludwig takes twice as long, in every worker.
VIRTUAL_ENV="$(pwd)/$venv"
export VIRTUAL_ENV
"$uv" pip install --no-deps --compile-bytecode -r requirements/runtime.txt -r requirements/dev.txt
"$uv" pip install --quiet --no-deps --editable .
"$venv/bin/lode" --version >/dev/null
rm -rf "$venv/uv-cache"

rm -f "$begun"
fingerprint >"$stamp.new"
mv "$stamp.new" "$stamp"
say "$venv is ready"
