#!/bin/sh
# conan.sh <root> <compiler> <THALWEG_WERROR of the normal build> <folder>: `conan create` in a home of its own, with the
# program of test_package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1 compiler=$2 werror=$3 folder=$4
. "$here/first_page.sh"
says 'python3 -m venv ~/conan-env && . ~/conan-env/bin/activate'
says 'conan profile detect'
says 'conan create packaging/conan -s compiler.cppstd=20'
"$here/first_program.sh" "$root/docs/index.md" | diff - "$root/packaging/conan/test_package/program.cpp"
PATH=$root/.venv/bin:$PATH
command -v conan >/dev/null || { echo "skipped: conan is not installed (a Python package)"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export CONAN_HOME="$folder/home"
export CXX="$compiler"
case $compiler in
  *clang++*) CC=$(echo "$compiler" | sed 's/clang++/clang/') ;;
  *) CC=$(echo "$compiler" | sed 's/g++/gcc/; s/c++/cc/') ;;
esac
export CC
conan profile detect >log 2>&1
# Nothing is asked of a server: the recipe needs no other package. The library is compiled with the flags of the normal
# build, so that it comes out of the compiler's cache, if there is one.
variables="{'CMAKE_CXX_FLAGS_INIT': '', 'THALWEG_WERROR': '$werror'}"
conan create "$root/packaging/conan" -s compiler.cppstd=20 --no-remote -c tools.cmake.cmaketoolchain:generator=Ninja \
  -c tools.cmake.cmaketoolchain:user_presets= -c tools.cmake.cmake_layout:test_folder="$folder/test" -c tools.cmake.cmaketoolchain:extra_variables="$variables" \
  >log 2>&1 || { cat log; exit 1; }
grep 'Full package reference\|\[test\]\|RUN:' log || true
