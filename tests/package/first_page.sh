# To be sourced. `says <line>` fails unless the site's first page, in <root>, has this line: so tests run the commands that
# people read there.
says() {
  grep -qxF "$1" "$root/docs/index.md" || { echo "docs/index.md does not say: $1"; exit 1; }
}
