#!/bin/sh
# first_program.sh <page>: prints the first C++ program of a page.
set -eu
awk '/^```/ { if (on && found) exit; on = /^```cpp/; text = ""; next }
     on { text = text $0 "\n"; found = found || /int main/ }
     END { printf "%s", text; exit !found }' "$1"
