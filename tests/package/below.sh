#!/bin/sh
# below.sh <how> <root> <compiler> <generator> <options of the normal build> <folder>: a project that has Thalweg below it, by
# add_subdirectory ("subdirectory") or FetchContent ("fetch"), with the program of the first page as its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
how=$1 root=$2 compiler=$3 generator=$4 options=$5 folder=$6
tree=$folder/tree
"$here/copy.sh" "$root" "$tree"
rm -rf "$folder/project"
cp -r "$here/below" "$folder/project"
"$here/first_program.sh" "$root/docs/index.md" >"$folder/project/program.cpp"
. "$here/first_page.sh"
says 'include(FetchContent)'
says 'FetchContent_MakeAvailable(thalweg)'
says 'target_link_libraries(program PRIVATE thalweg::thalweg)'
# The library is compiled as in the normal build, which has left it in the cache, if there is one.
. "$here/cached_compiler.sh"
cmake -S "$folder/project" -B "$tree/build/below" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_CXX_COMPILER=$compiler" "-DOPTIONS=$options" "-DHOW=$how" "-DTHALWEG=$tree" >"$folder/log" ||
  { cat "$folder/log"; exit 1; }
cd "$tree/build/below"
cmake --build . >"$folder/log" || { cat "$folder/log"; exit 1; }
./below

# What is not asked for is neither built nor installed.
if find . -name 'libthalweg_*' -o -name compile_commands.json | grep .; then
  echo "these are made, although nobody asked for them"
  exit 1
fi
cmake --install . --prefix "$folder/prefix"
if [ -e "$folder/prefix" ]; then
  echo "Thalweg is installed with a project that has it below it:"
  find "$folder/prefix" | head
  exit 1
fi
