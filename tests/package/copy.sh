#!/bin/sh
# copy.sh <root> <folder>: a copy of the sources, in which things can be built without a trace in <root>. Compilations in
# <folder>/build/<any name> are in the compiler's cache if those in <root>/build/<any name> are.
set -eu
rm -rf "$2"
mkdir -p "$2"
for one in "$1"/*; do
  case ${one##*/} in
    build | compile_commands.json) ;;
    *) cp -R --preserve=mode,timestamps "$one" "$2" ;;
  esac
done
