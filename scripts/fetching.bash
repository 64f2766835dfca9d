# What the scripts that fetch text share. Each sources this file after `set -euo pipefail`.

fail() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 1
}

# A place as later commands need it, which run in another directory: a directory or file gets its absolute path.
absolute() { # PLACE
  if [[ $1 == *://* ]]; then
    echo "${1%/}"
  else
    realpath --canonicalize-missing -- "$1"
  fi
}

# Writes what is at a URL or a path to standard output.
fetch() { # PLACE
  local from=${1#file://}
  if [[ $from != *://* ]]; then
    cat -- "$from"
  elif type -P curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 3 "$from"
  elif type -P wget >/dev/null; then
    wget --quiet --output-document=- "$from" || { echo "wget: $from" >&2 && return 1; }
  else
    fail "neither curl nor wget is installed: apt-get install curl ca-certificates"
  fi
}

# For each line of FILE the remainder of its MD5, a number of 32 digits in base 16, by DIVISOR: a draw by chance that is
# the same everywhere.
md5_remainders() { # FILE DIVISOR
  local lines
  lines=$(mktemp --directory)
  awk -v directory="$lines" '{
    file = sprintf("%s/%05d", directory, NR)
    printf "%s", $0 >file
    close(file) }' "$1"
  (cd "$lines" && find . -type f -name '[0-9]*' | sort | xargs md5sum) | awk -v divisor="$2" '{
    remainder = 0
    for (i = 1; i <= 32; ++i) remainder = (16 * remainder + index("0123456789abcdef", substr($1, i, 1)) - 1) % divisor
    print remainder }'
  rm -r "$lines"
}

has_digest() { # FILE SHA256
  [[ -e $1 && $(sha256sum <"$1") == "$2 "* ]]
}

# Makes FILE of what COMMAND writes, unless FILE has this SHA-256 already. A file is complete or is left as it was.
make_file() { # FILE SHA256 COMMAND...
  local file=$1 digest=$2 part
  shift 2
  has_digest "$file" "$digest" && return
  mkdir -p "$(dirname "$file")"
  part=$(mktemp "$(dirname "$file")/.part.XXXXXX")
  if "$@" >"$part" && has_digest "$part" "$digest"; then
    chmod 644 "$part" && mv "$part" "$file"
    echo "$file: $(wc --lines <"$file") lines"
  else
    rm -f "$part"
    fail "could not make $file: its text could not be fetched, or is not what was expected"
  fi
}
