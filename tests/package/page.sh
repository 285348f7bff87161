#!/bin/sh
# page.sh <page> <root> <compiler> <folder>: runs the commands of a page that are marked ```sh run, one after the other, in a
# copy of the sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$1 root=$2 compiler=$3 folder=$4
"$here/copy.sh" "$root" "$folder"
PATH=$root/.venv/bin:$PATH # npm
awk '/^```/ { on = /^```sh run/; next } on' "$page" >"$folder.commands"
grep . "$folder.commands" >/dev/null
. "$here/quick_build.sh"
cd "$folder"
sh -eux "$folder.commands"
cmake --install build/shared --prefix build/installed
