#!/bin/sh
# wheel.sh <root> <compiler> <folder>: makes a wheel of the command line, installs it in a separate environment, and uses it
# there, away from the sources that it was made of. What it depends on is taken from the environment of the project, so
# that nothing has to be fetched; with `./thalweg test --long` it is fetched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1 compiler=$2 folder=$3
. "$here/first_page.sh"
packages='build-essential cmake file libbz2-dev libcli11-dev ninja-build pkg-config python3-venv'
environment='python3 -m venv ~/thalweg-env && . ~/thalweg-env/bin/activate'
says "sudo apt-get install $packages"
says "$environment"
says 'pip wheel --no-deps -w build ./cli'
says 'pip install build/thalweg_cli-*.whl'
says 'thalweg demo'
python=$root/.venv/bin/python
"$python" -c 'import wheel, typer' 2>/dev/null || { echo "skipped: the Python environment of the project is not there"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder/place-to-pack"
cp "$root"/docs/*.md "$folder/place-to-pack"
cd "$folder"
"$python" -m pip wheel -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -w . "$root/cli"
ls -l ./*.whl
"$python" -m zipfile -l ./*.whl | awk '/carried\/tests|__pycache__|egg-info/ { print "the wheel carries " $1; bad = 1 } END { exit bad }'

"$python" -m venv --without-pip own
own() { "$python" -m pip --python own/bin/python -q --disable-pip-version-check "$@"; }
case ${THALWEG_TEST_SCALE:-1} in
  [2-9][0-9]* | 1[0-9][0-9]*) own install ./*.whl ;;
  *)
    own install --no-index --no-deps ./*.whl
    "$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$(echo own/lib/python3*/site-packages)/others.pth"
    ;;
esac
version=$(sed -n 's/^#define THALWEG_VERSION_[A-Z]* //p' "$root/include/thalweg/version.hpp" | paste -sd.)
HOME=$folder/other_home own/bin/thalweg --version | grep "^thalweg $version,"
[ -x own/bin/thalweg-spar++ ] # what it does first is for tests/cli

# The page of a run of the past is inside.
PYTHONPATH=$root/cli:$root/tests/cli "$python" -c \
  'import json, view_test as v; print(json.dumps(v.line(1, 10, final=True) | {"graph": v.GRAPH}))' >run.jsonl
HOME=$folder/other_home own/bin/thalweg view run.jsonl --no-open
grep -q '<script type="application/json" id="saved">' run.html

# Reports of the wheel need no npm, if there was one when it was made.
has_bundle='import sys; from thalweg_cli.report import bundle; sys.exit(not bundle.there())'
if PYTHONPATH=$root/cli "$python" -c "$has_bundle"; then
  HOME=$folder/other_home own/bin/python -c "$has_bundle" || { echo "the wheel carries no bundle of Plotly"; exit 1; }
fi

. "$here/quick_build.sh"
"$here/command_line.sh" "$PWD/own/bin/thalweg" "$folder/home" "$folder/own" demo

# As on a new machine. What it depends on is fetched here, where pip is set up for that.
. "$here/system.sh"
if separate_system; then
  mkdir tree
  "$python" -m pip download -q --disable-pip-version-check --only-binary=:all: -d tree ./*.whl \
    --python-version "$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
  cp -r place-to-pack tree
  in_separate_system "$packages" "$environment; pip install -q --no-index --find-links . thalweg_cli-*.whl
    thalweg demo place-to-pack; bzip2 -t ~/.cache/thalweg/*/build/release/demo.tar.bz2"
fi
