#!/bin/sh
# spar.sh <prefix> <compiler> <sources> <folder>: a program with SPar's attributes becomes one of several threads by the function
# of the CMake package, with thalweg-spar++ as the compiler of a CMake project, and in a Makefile.
set -eu
prefix=$1 compiler=$2 sources=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$sources/." "$folder/source"
cd "$folder"
export THALWEG_SPAR_CXX="$compiler"

# works <command>: what it builds gives the right sum, and has the library inside.
works() {
  [ "$("$1")" = 385 ] || { echo "$1 is wrong"; exit 1; }
  nm -C "$1" | grep -q 'thalweg::' || { echo "$1 is a program without Thalweg"; exit 1; }
}

# project <folder> <option>...: builds it with CMake; then a header changes, and what depends on it is built anew.
project() {
  cmake -S source -B "$@" -DCMAKE_BUILD_TYPE=None >log 2>&1 && cmake --build "$1" >>log 2>&1 || { cat log; exit 1; }
  works "$1/prog"
}
project package -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_PREFIX_PATH=$prefix" -DWITH_PACKAGE=ON
ninja -C package -n | grep -q 'no work'
touch source/range.hpp
ninja -C package -n | grep -q prog.cpp || { echo "a header has changed, and nothing is built anew"; exit 1; }

project compiler -G "Unix Makefiles" "-DCMAKE_CXX_COMPILER=$prefix/bin/thalweg-spar++"

# The same in a Makefile that knows of nothing.
cat >Makefile <<'END'
VPATH = source
prog: prog.o
	$(CXX) $^ -o $@
%.o: %.cpp
	$(CXX) $(CXXFLAGS) -MMD -c $< -o $@
-include prog.d
END
make -s "CXX=$prefix/bin/thalweg-spar++" CXXFLAGS=-fsyntax-only prog.o # no object, but no failure either
rm -f prog.d
make -s "CXX=$prefix/bin/thalweg-spar++" CXXFLAGS=-O0
works ./prog
make -q
touch source/range.hpp
if make -q; then
  echo "the Makefile does not know of the header"
  exit 1
fi

# Errors are the user's, with the name that the user knows; nothing is left.
sed 's/square = 0/square = nothing/' source/prog.cpp >source/wrong.cpp
if "$prefix/bin/thalweg-spar++" -c source/wrong.cpp 2>said; then exit 1; fi
grep -q '^source/wrong.cpp:9:19: error:' said || { cat said; exit 1; }
[ ! -e wrong.o ]
[ ! -e source/prog.spar.cpp ]
