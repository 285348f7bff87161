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
  grep -v '/\(tbb\|omp\|opencv\|cereal\|cereal_json\|protobuf\|flatbuffers\)\.hpp' | sed 's/.*/#include <&>/' >headers.hpp
sort -r headers.hpp >headers_from_behind.hpp
newest=$(find /usr/bin -name 'clang++-[0-9]*' | sed 's/.*-//' | sort -n | tail -n 1)
# In both orders, and under both standards: with each compiler in a long run, else only with GCC, and Clang
# does one of the two.
case ${THALWEG_TEST_SCALE:-1} in
  [2-9][0-9]* | 1[0-9][0-9]*) long=yes ;;
  *) long=no ;;
esac
tried=
for compiler in g++ clang++-16 "clang++-${newest:-16}"; do
  case " $tried " in *" $compiler "*) continue ;; esac
  command -v "$compiler" >/dev/null || { echo "$compiler is not installed (./thalweg doctor)"; exit 1; }
  tried="$tried $compiler"
  # check <standard> <headers> <program that includes them first>
  check() {
    "$compiler" "-std=$1" -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -fsyntax-only -I "$root/include" \
      -include "./$2" "$root/$3" || { echo "$compiler -std=$1 warns in $2 or in $3"; exit 1; }
  }
  if [ "$long$compiler" != noclang++-16 ]; then check c++2b headers.hpp examples/trace_reconstruction.cpp; fi
  case $long$compiler in
    yes* | nog++ | noclang++-16) check c++20 headers_from_behind.hpp tests/package/outside/main.cpp ;;
  esac
done
echo "without a warning:$tried"
