#!/bin/sh
# Builds and runs a program with nothing but a compiler and pkg-config.
# usage: pkg_config.sh pkg-config compiler main.cpp program package [option...]
set -eu
flags=$("$1" --cflags --libs "$5")
# The flags are words for the compiler's command line.
eval '"$2" -std=c++20 -O1 ${6:-} -o "$4" "$3"' "$flags"
"$4"
