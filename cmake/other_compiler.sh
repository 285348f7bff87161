#!/bin/sh
# Runs another compiler in the place of CMake's: other_compiler.sh <compiler> <CMake's compiler> <options>...
other=$1
shift 2
exec "$other" "$@"
