#!/bin/sh
# command_line.sh <thalweg> <home> <where it is installed> [demo]: a command line that has been installed works for a user
# with that home, and writes nothing where it is installed. The demo is built and run where that is asked for, and with
# `./thalweg test --long`.
set -eu
thalweg=$1 home=$2 place=$3 demo=${4-}
case ${THALWEG_TEST_SCALE:-1} in
  [2-9][0-9]* | 1[0-9][0-9]*) demo=demo ;;
esac
rm -rf "$home"
mkdir -p "$home"
unset XDG_CACHE_HOME XDG_DATA_HOME THALWEG_BENCHMARKS
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir) # that of the user who tests
  export CCACHE_DIR
fi
HOME=$home
export HOME
cd "$home"
files() { find "$place" -not -path '*/__pycache__*' -printf '%p %s %T@\n' | sort; }
files >before

# It fails where something is missing on this machine, and says what then.
"$thalweg" doctor >said 2>&1 || grep -q missing said || { cat said; exit 1; }
grep -q '^cmake  *\(found\|[0-9]\)' said || { cat said; exit 1; }

if [ "$demo" = demo ]; then
  "$thalweg" demo "$place/../place-to-pack" >>said 2>&1 || { cat said; exit 1; }
  [ -n "$(find .cache/thalweg -name demo.tar.bz2 -size +0)" ]
fi
if grep 'Traceback\|\./thalweg' said; then exit 1; fi

files >after
diff before after
ls .cache/thalweg
