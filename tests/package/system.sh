# To be sourced: a separate system, for `./thalweg test --long`: Debian with nothing but what is asked for. It is fetched, and
# takes minutes.

# Whether there is to be one, and can be.
separate_system() {
  case ${THALWEG_TEST_SCALE:-1} in
    [2-9][0-9]* | 1[0-9][0-9]*) command -v mmdebstrap >/dev/null && [ "$(id -u)" = 0 ] ;;
    *) return 1 ;;
  esac
}

# in_separate_system <packages> <commands>: installs the packages, copies the folder `tree`, and runs the commands of bash in
# the copy. Prints what they say if one fails.
in_separate_system() {
  mmdebstrap --format=null --variant=minbase --include="$(echo "$1" | tr ' ' ,)" \
    --customize-hook="copy-in $PWD/tree /tmp" --customize-hook="chroot \"\$1\" bash -euxc 'cd /tmp/tree; $2'" \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" >separate.log 2>&1 || { cat separate.log; exit 1; }
  echo "installed and used in a separate system"
}
