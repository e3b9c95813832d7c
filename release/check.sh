#!/bin/sh
# Builds the sdist and the wheel, and installs the wheel into clean environments: every Python that is named (or found), with
# the newest versions of all dependencies, and the oldest Python with the lowest versions that pyproject.toml allows; both
# without and with linkwright[full].
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pythons=${*:-python3.11 python3.12 python3.13}
first=""
for python in $pythons; do
    command -v "$python" >/dev/null || { echo "no $python here: left out"; continue; }
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
    if [ -z "$first" ]; then
        first=$python
        "$python" -m venv "$work/build"
        "$work/build/bin/python" -m pip install -q --disable-pip-version-check build
        "$work/build/bin/python" -m build -q --outdir "$work/dist" "$here"
        ls "$work/dist"
    fi
    name=$(basename "$python")
    "$python" -m venv "$work/new-$name"
    "$work/new-$name/bin/python" -m pip install -q --disable-pip-version-check "$work"/dist/*.whl
    (cd "$work" && "$work/new-$name/bin/python" "$here/release/smoke.py")
done
lowest=$("$first" -c 'import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
print(*(d.replace(">=", "==") for d in project["dependencies"]))' "$here/pyproject.toml")
lowest_full=$("$first" -c 'import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
print(*(d.replace(">=", "==") for d in project["optional-dependencies"]["full"]))' "$here/pyproject.toml")
wheel=$(ls "$work"/dist/*.whl)
# name, what is installed, what is tried
try() {
    name=$1 what=$2 part=$3
    "$first" -m venv "$work/$name"
    "$work/$name/bin/python" -m pip install -q --disable-pip-version-check $what
    (cd "$work" && "$work/$name/bin/python" "$here/release/smoke.py" $part)
}
try low "$wheel $lowest" ""
try full "$wheel[full]" full
try low-full "$wheel[full] $lowest $lowest_full" full
try sdist "$(ls "$work"/dist/*.tar.gz)" ""
