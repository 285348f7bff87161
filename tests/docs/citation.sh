#!/bin/sh
# citation.sh <root>: CITATION.cff is what its format demands, and tools can make a reference of it.
set -eu
root=$1
PATH=$root/.venv/bin:$PATH
command -v cffconvert >/dev/null || { echo "skipped: cffconvert is not installed (a Python package)"; exit 77; }
cffconvert --validate --infile "$root/CITATION.cff"
cffconvert --format bibtex --infile "$root/CITATION.cff" | grep -q '^title = {Thalweg: '
