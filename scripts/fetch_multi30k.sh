#!/usr/bin/env bash
# Fetches Multi30k (Elliott et al. 2016), English and German: task 1 of https://github.com/multi30k/dataset.
set -euo pipefail

usage="Usage: scripts/fetch_multi30k.sh [--raw] [BASE]
Puts the lower-cased, tokenised text into data/multi30k, where configs/multi30k.yaml looks for it (about 4 MB);
with --raw the text as it was written, into data/multi30k-raw. What is there already is not fetched again.
BASE: another place that holds the folders tok/ and raw/ of the dataset's data/task1, a URL or a directory."

base=https://raw.githubusercontent.com/multi30k/dataset/master/data/task1
folder=tok ending=.lc.norm.tok packed='' directory=data/multi30k

fail() {
  echo "fetch_multi30k: $*" >&2
  exit 1
}

# Writes a file of the dataset to standard output.
fetch() { # NAME
  local from=${base#file://}/$1
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

unpack() {
  if [[ $packed ]]; then gzip --decompress; else cat; fi
}

lines_of() { # FILE
  wc --lines <"$1"
}

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    --raw) folder=raw ending='' packed=.gz directory=data/multi30k-raw ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) base=${argument%/} ;;
  esac
done
if [[ $base != *://* ]]; then
  [[ -d $base ]] || fail "there is no directory $base"
  base=$(cd "$base" && pwd)
fi
cd "$(dirname "$0")/.."

mkdir -p "$directory"
part=$(mktemp "$directory/.part.XXXXXX")
trap 'rm -f "$part"' EXIT
for split in train:29000 val:1014 test_2016_flickr:1000; do
  lines=${split#*:} split=${split%:*}
  for language in en de; do
    file=$directory/$split.$language
    [[ ! -e $file || $(lines_of "$file") != "$lines" ]] || continue
    name=$folder/$split$ending.$language$packed
    fetch "$name" | unpack >"$part" || fail "could not fetch $base/$name"
    [[ $(lines_of "$part") == "$lines" ]] ||
      fail "$base/$name has $(lines_of "$part") lines, where $lines were expected; $file is left as it was"
    chmod 644 "$part" && mv "$part" "$file"
    echo "$file: $lines lines"
  done
done
echo "$directory is complete"
