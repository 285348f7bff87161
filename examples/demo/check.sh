#!/bin/sh
# Archives a folder with every policy; what comes back must be what went in.
# usage: check.sh demo folder
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Names that need more than a tar header holds, a link, an empty file, and more than one block.
cp -R "$2" "$work/in"
long=$work/in/$(printf 'long%.0s' $(seq 40))
mkdir "$long"
echo deep >"$long/$(printf 'deep%.0s' $(seq 40))"
ln -s ../in "$work/in/link"
: >"$work/in/empty"
seq 400000 >"$work/in/numbers"
cp -R "$work/in" "$work/packed"
mkfifo "$work/in/a pipe"
for policy in sequential pool threads:3; do
  "$1" --policy "$policy" --output "$work/out.tar.bz2" "$work/in" >"$work/said" 2>"$work/left_out"
  grep -q "left out.*: a pipe" "$work/left_out" # which an archive of files cannot hold
  bzip2 -t "$work/out.tar.bz2"
  mkdir "$work/$policy"
  tar -xjf "$work/out.tar.bz2" -C "$work/$policy"
  diff -r --no-dereference "$work/packed" "$work/$policy/in"
  sha256sum <"$work/out.tar.bz2" >>"$work/sums"
done
# The same bytes whatever the policy.
test "$(sort -u "$work/sums" | wc -l)" = 1
