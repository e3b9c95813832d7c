#!/bin/sh
# Builds the sdist and the wheel, and installs them into clean environments: every Python that is named (or found), without and
# with linkwright[full], with the newest versions of all dependencies and with the lowest that pyproject.toml allows and that
# this Python has wheels of.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pythons=${*:-python3.11 python3.12 python3.13}
first=""

# what pyproject.toml asks for: "dependencies", or "full" for those of the extra as well
asked() {
    "$first" -c 'import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
print(*project["dependencies"], *(project["optional-dependencies"]["full"] if sys.argv[2] == "full" else ()))' \
        "$here/pyproject.toml" "$1"
}

# python, name of the environment, what is tried ("" or "full"), and then how what is installed
try() {
    version=$1 env=$2 part=$3
    shift 3
    "$version" -m venv "$work/$env"
    "$work/build/bin/uv" pip install -q --python "$work/$env/bin/python" "$@"
    echo "$env:"
    (cd "$work" && "$work/$env/bin/python" "$here/release/smoke.py" $part)
    rm -rf "${work:?}/$env"
}

for python in $pythons; do
    command -v "$python" >/dev/null || { echo "no $python here: left out"; continue; }
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
    name=$(basename "$python")
    if [ -z "$first" ]; then
        first=$python
        "$python" -m venv "$work/build"
        "$work/build/bin/python" -m pip install -q --disable-pip-version-check build uv
        "$work/build/bin/python" -m build -q --outdir "$work/dist" "$here"
        ls "$work/dist"
        wheel=$(ls "$work"/dist/*.whl)
        try "$python" sdist "" "$(ls "$work"/dist/*.tar.gz)"
    fi
    try "$python" "newest-$name" "" "$wheel"
    try "$python" "newest-full-$name" full "$wheel[full]"
    set -f  # ">" and "=" of requirements are no patterns
    try "$python" "lowest-$name" "" --resolution lowest-direct --only-binary :all: "$wheel" $(asked dependencies)
    try "$python" "lowest-full-$name" full --resolution lowest-direct --only-binary :all: "$wheel" $(asked full)
    set +f
done
