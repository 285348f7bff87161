#!/bin/sh
# plugins.sh <pkg-config> <compiler> <prefix> <folder>: a host and plug-ins that share the library of <prefix>, all of which
# hide their own names; what the library gives away, and what it is called.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pkg_config=$1 compiler=$2 prefix=$3 folder=$4
sources=$here/plugins
mkdir -p "$folder"
cd "$folder"
flags=$("$pkg_config" --cflags thalweg)
libraries=$("$pkg_config" --libs thalweg)
where=$(dirname "$(find "$prefix" -name libthalweg.so)")
own() { eval '"$compiler" -std=c++20 -O1 -Wall -Wextra -Werror -fvisibility=hidden -fvisibility-inlines-hidden "$@"' "$flags"; }

# What GCC takes for unique in the process keeps a library in memory for ever; other compilers have no such things.
case $("$compiler" --version) in
  *clang*) unloadable="" ;;
  *) unloadable=-fno-gnu-unique ;;
esac
for name in a b; do
  own $unloadable -fPIC -shared "-DNAME=$name" "$sources/plugin.cpp" -o "lib$name.so" "-L$where" -lthalweg &
done
wait
eval 'own "$sources/host.cpp" -o host "-Wl,-rpath,$where" -ldl' "$libraries"
./host "$PWD/liba.so" "$PWD/libb.so"

version=$("$pkg_config" --modversion thalweg)
case $version in
  0.*) series=${version%.*} ;;
  *) series=${version%%.*} ;;
esac
for library in "$where"/libthalweg*.so; do
  name=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
  [ "$name" = "$(basename "$library").$series" ] || { echo "$library is called $name"; exit 1; }
  [ "$(readlink -f "$library")" = "$library.$version" ] || { echo "$library is not of $version"; exit 1; }
  nm -D --defined-only "$library" | awk '$3 !~ /^THALWEG_/ { print $3 }' >names
  if grep -v '7thalweg' names || ! [ -s names ]; then
    echo "$library gives these names away"
    exit 1
  fi
done
if nm -D --defined-only -C liba.so | grep thalweg; then
  echo "a plug-in gives these names away"
  exit 1
fi
