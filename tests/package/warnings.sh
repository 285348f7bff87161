#!/bin/sh
# warnings.sh <root> <folder>: all public headers, and programs that use many of them, compile without a warning, under the
# warnings that users switch on, as C++20 and C++23, with the oldest compilers that the project knows and the newest Clang
# that is installed here.
set -eu
root=$1 folder=$2
mkdir -p "$folder"
cd "$folder"
# Those for types of other libraries are compiled by the tests that have these libraries.
(cd "$root/include" && find thalweg -name '*.hpp' | sort) |
  grep -v '/\(tbb\|omp\|opencv\|cereal\|cereal_json\|protobuf\|flatbuffers\)\.hpp' | sed 's/.*/#include <&>/' >headers.cpp
sort -r headers.cpp >headers_from_behind.cpp
newest=$(find /usr/bin -name 'clang++-[0-9]*' | sed 's/.*-//' | sort -n | tail -n 1)
tried=
for compiler in g++ clang++-16 "clang++-${newest:-16}"; do
  case " $tried " in *" $compiler "*) continue ;; esac
  command -v "$compiler" >/dev/null || { echo "$compiler is not installed (./thalweg doctor)"; exit 1; }
  tried="$tried $compiler"
  check() {
    "$compiler" "-std=$1" -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -fsyntax-only -I "$root/include" "$2" ||
      { echo "$compiler -std=$1 warns in $2"; exit 1; }
  }
  # In both orders, and under both standards.
  check c++20 headers_from_behind.cpp
  check c++2b headers.cpp
  check c++2b "$root/tests/package/outside/main.cpp"
  check c++2b "$root/examples/trace_reconstruction.cpp"
done
echo "without a warning:$tried"
