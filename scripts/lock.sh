#!/bin/sh
# Compiles requirements/*.in into pins that hold for every Python >= 3.12 and every platform. Needs a set-up .venv (for its uv).
set -eu

cd "$(dirname "$0")/.."
uv="${UV:-.venv/uv-bootstrap/bin/uv}"

for part in runtime dev; do
    cp "requirements/$part.txt" "requirements/$part.txt.new"  # so that pins stay unless --upgrade is asked for
    "$uv" pip compile --universal --python-version 3.12 --overrides requirements/overrides.txt --no-header --no-annotate \
        --no-emit-index-url "$@" "requirements/$part.in" -o "requirements/$part.txt.new" >/dev/null
    # The overrides keep Ludwig's unneeded requirements under a marker that holds nowhere; left out, nobody fetches even their metadata.
    { echo "# Made by 'make lock' from $part.in"; grep -v "sys_platform == 'never'" "requirements/$part.txt.new" | grep -v '^ *#'; } >"requirements/$part.txt"
    rm -f "requirements/$part.txt.new"
done
