#!/bin/sh
# The loop and the stream write the same picture, and count the same points. usage: check.sh loop stream
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" 100 >"$folder/loop.pgm" 2>"$folder/loop.txt"
"$2" 100 >"$folder/stream.pgm" 2>"$folder/stream.txt"
cmp "$folder/loop.pgm" "$folder/stream.pgm"
cmp "$folder/loop.txt" "$folder/stream.txt"
