#!/bin/sh
# Shared libraries with the archive inside: what they give away, and two versions in one process.
# usage: two_libraries.sh pkg-config compiler sources folder prefix
set -eu
compiler=$2
sources=$3
mkdir -p "$4/other"
cd "$4"
flags=$("$1" --cflags thalweg)
libraries=$("$1" --libs-only-l --libs-only-other thalweg | sed 's/-lthalweg//')
archive=$(find "$5" -name libthalweg.a)
[ -n "$archive" ]
# Another version: one with another text.
sed 's/this job/THIS JOB/g' "$archive" > other/libthalweg.a

build() { # name archive option...
  name=$1
  inside=$2
  shift 2
  eval '"$compiler" -std=c++20 -O0 -fPIC -shared -DNAME=$name "$@"' "$flags" \
    '"$sources/library.cpp" "$inside" -o lib$name.so' "$libraries"
}
build a "$archive" &
build b other/libthalweg.a &
wait
build late "$archive" -fvisibility=hidden

# Of templates of the standard library that a function of ours is the argument of, which are visible in any
# library, the name says whose it is.
names() {
  nm -D --defined-only -C "lib$1.so" | grep 'thalweg::' | grep -v ' std::' || true
}
exported() {
  names "$1" | grep -c . || true
}
echo "names of thalweg that are given away: $(exported a) of templates, $(exported late) by a library that hides its own"
if [ "$(exported late)" -ne 0 ]; then
  names late | head -n 5
  exit 1
fi
# What comes from headers, and is not hidden, has the version in its name.
if names a | grep -v 'thalweg::v[0-9]*_[0-9]*::'; then
  echo "these names are the same in all versions"
  exit 1
fi
eval '"$compiler" -std=c++20 -O0' "$flags" '"$sources/main.cpp" -L. -la -lb "$archive" -Wl,-rpath,"$PWD" -o main' \
  "$libraries" -ldl
./main "$PWD/liblate.so"
