#!/bin/sh
# deb.sh <root> <build of shared libraries> <compiler> <folder>: lets lintian look at the packages that are there, unpacks
# them into an empty folder, and uses what is in it: a program of several components, and the command line.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1 build=$2 compiler=$3 folder=$4
for tool in dpkg-deb lintian; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
ls -l "$build"/packages/*.deb
lintian --fail-on error --allow-root "$build"/packages/*.deb

# Who installs one gets what it needs.
version=$(sed -n 's/^#define THALWEG_VERSION_[A-Z]* //p' "$root/include/thalweg/version.hpp" | paste -sd.)
field() { dpkg-deb -f "$build/packages/$1" "$2"; }
series=${version%.*}
architecture=$(dpkg --print-architecture)
expect() { case $(field "$1" Depends) in *"$2"*) ;; *) echo "$1 needs no $2: $(field "$1" Depends)"; exit 1 ;; esac; }
expect "libthalweg-dev_$version-1_$architecture.deb" "libthalweg$series (= $version-1)"
expect "libthalweg${series}_$version-1_$architecture.deb" "libstdc++6"
expect "thalweg_$version-1_all.deb" "ninja-build"
for part in $THALWEG_PARTS; do # the components that can be built here
  expect "libthalweg-$part${series}_$version-1_$architecture.deb" "libthalweg$series (= $version-1)"
done
spar="thalweg-spar_$version-1_$architecture.deb" # if it is built
if [ -e "$build/packages/$spar" ]; then
  expect "$spar" libclang-cpp
  expect "$spar" "libthalweg-dev (= $version-1)"
fi
if field "libthalweg${series}_$version-1_$architecture.deb" Depends | grep -E 'mpi|kafka|mosquitto|curl|ssl|zlib|zstd|httplib'; then
  echo "the library without components drags these in"
  exit 1
fi

# All that they need has a package, as far as this machine knows packages.
if apt-cache show libhwloc15 >/dev/null 2>&1; then
  apt-get install --simulate "$build"/packages/*.deb >log 2>&1 || { cat log; exit 1; }
fi

for package in "$build"/packages/*.deb; do dpkg-deb -x "$package" place; done
usr=$PWD/place/usr
cmake -S "$root/tests/package/outside" -B outside -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 "-DCMAKE_PREFIX_PATH=$usr" >log || { cat log; exit 1; }
cmake --build outside >log || { cat log; exit 1; }
libraries=$(dirname "$(find "$usr" -name "libthalweg.so.$series")")
LD_LIBRARY_PATH=$libraries outside/outside
readelf -d outside/outside | grep "libthalweg.so.$series" >/dev/null

# By the commands of the first page, here with the libraries where they have been unpacked.
. "$here/first_page.sh"
install='apt-get install ./build/shared/packages/libthalweg{'$series',-dev}_*.deb'
compile='g++ -std=c++20 -O2 program.cpp $(pkg-config --cflags --libs thalweg) -o program'
says 'sudo apt-get install build-essential cmake file libbz2-dev libcli11-dev ninja-build pkg-config python3-venv'
says "sudo $install"
says "$compile"
"$here/first_program.sh" "$root/docs/index.md" >program.cpp
(
  export PKG_CONFIG_PATH="$libraries/pkgconfig" LD_LIBRARY_PATH="$libraries"
  eval "$compile"
  ./program | tail -n 1
)

# As on a new machine, in which apt installs them.
. "$here/system.sh"
if separate_system; then
  mkdir -p tree/build/shared
  cp -r "$build/packages" tree/build/shared
  cp program.cpp tree
  in_separate_system g++,pkg-config "$(echo "$install" | sed "s/install/install -y/"); $compile; ./program"
fi

mkdir place-to-pack
cp "$root"/docs/*.md place-to-pack
"$here/command_line.sh" "$usr/bin/thalweg" "$folder/home" "$folder/place"
