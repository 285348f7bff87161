#!/bin/sh
# page.sh <page> <root> <compiler> <folder>: runs the commands of a page that are marked ```sh run, one after the other, in a
# copy of the sources. The compiler gets a few large files, which takes less time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$1 root=$2 compiler=$3 folder=$4
"$here/copy.sh" "$root" "$folder"
awk '/^```/ { on = /^```sh run/; next } on' "$page" >"$folder.commands"
grep . "$folder.commands" >/dev/null
printf 'set(CMAKE_CXX_COMPILER "%s")\nset(CMAKE_UNITY_BUILD ON)\n' "$compiler" >"$folder.cmake"
export CMAKE_TOOLCHAIN_FILE="$folder.cmake"
cd "$folder"
sh -eux "$folder.commands"
cmake --install build/shared --prefix build/installed
