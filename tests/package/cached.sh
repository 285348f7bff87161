#!/bin/sh
# cached.sh <cmake/ccache.cmake> <compiler> <folder>: a new clone of which only a comment of a precompiled header
# differs does not get the old header from the cache.
set -eu
rules=$1 compiler=$2 folder=$3
command -v ccache >/dev/null || { echo "skipped: ccache is not installed"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export CCACHE_DIR="$folder/cache"
unset CCACHE_DISABLE CMAKE_CXX_COMPILER_LAUNCHER
cp "$rules" .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(cached LANGUAGES CXX)
include(ccache.cmake)
add_executable(cached main.cpp)
target_include_directories(cached PRIVATE "${PROJECT_SOURCE_DIR}")
target_precompile_headers(cached PRIVATE <part.hpp>)
END

# clone <text of the comment> <text of the program>
clone() {
  rm -rf build
  printf '#pragma once\n// %s\nstruct part {\n  int value = 0;\n};\n' "$1" >part.hpp
  printf '#include <part.hpp>\nint main() {\n  return %s;\n}\n' "$2" >main.cpp
  cmake -S . -B build -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" >log 2>&1 && cmake --build build >>log 2>&1 ||
    { cat log; exit 1; }
  build/cached
}
clone "Said one way." "part{}.value"
clone "Said another way." "part{}.value + 0"
# Without a hit the test would show nothing.
clone "Said another way." "part{}.value + 0"
ccache --print-stats | awk '$1 == "direct_cache_hit" && $2 >= 2 { found = 1 } END { exit !found }'

# What is compiled while a header changes, as when a branch is merged, is not taken for the result of the new header.
printf '#!/bin/sh\n"%s" "$@" || exit\nif [ -e new.hpp ]; then mv new.hpp other.hpp; fi\n' "$compiler" >changing
chmod +x changing
printf 'int main(int argc, char**) {\n  return argc - other();\n}\n' >main.cpp
said() { printf '#pragma once\ninline int other() { return %s; }\n' "$1"; }
said 1 >other.hpp
said 2 >"$folder/new.hpp"
compile() { ccache ./changing -include other.hpp -MD -MF main.d -c main.cpp -o main.o && "$compiler" main.o -o other; }
export CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1
CCACHE_SLOPPINESS=$(sed -n 's/.*CCACHE_SLOPPINESS=\([a-z_,]*\).*/\1/p' ccache.cmake)
export CCACHE_SLOPPINESS
compile
./other
compile
if ./other; then
  echo "the cache gives what was compiled with the old header"
  exit 1
fi
