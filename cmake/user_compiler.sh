#!/bin/bash
# Compiles or links as a user has configured it, in the place of CMake's command:
# user_compiler.sh <compiler>- <n> <n words before the source> <m> <m words behind it> <CMake's command>...
# Without a compiler CMake's own is taken.
set -euo pipefail
other=${1%-}
before=("${@:3:$2}")
shift $((2 + $2))
behind=("${@:2:$1}")
shift $((1 + $1))
command=("$@")
[ -z "$other" ] || command[0]=$other
if [[ " $* " == *" -c "* ]]; then # which CMake writes before the source, and that last
  source=${command[-1]}
  unset 'command[-1]'
  command+=("${before[@]}" "$source" "${behind[@]}")
fi
exec "${command[@]}"
