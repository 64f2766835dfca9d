#!/usr/bin/env bash
# Fetches Multi30k (Elliott et al. 2016): task 1 of https://github.com/multi30k/dataset, English with German or French.
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_multi30k.sh [--raw] [de|fr] [BASE]
Puts the lower-cased, tokenised text, English and German (de, the default) or French (fr), into data/multi30k, where
configs/multi30k.yaml and configs/multi30k_fr.yaml look for it (about 2 MB a language); with --raw the text as it was
written, into data/multi30k-raw. What is there already is not fetched again.
BASE: another place that holds the folders tok/ and raw/ of the dataset's data/task1, a URL or a directory."

base=https://raw.githubusercontent.com/multi30k/dataset/master/data/task1
folder=tok ending=.lc.norm.tok packed='' directory=data/multi30k target=de

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
    de | fr) target=$argument ;;
    *) base=$(absolute "$argument") ;;
  esac
done
[[ $base == *://* || -d $base ]] || fail "there is no directory $base; the languages are de and fr"
cd "$(dirname "$0")/.."

mkdir -p "$directory"
part=$(mktemp "$directory/.part.XXXXXX")
trap 'rm -f "$part"' EXIT
for split in train:29000 val:1014 test_2016_flickr:1000; do
  lines=${split#*:} split=${split%:*}
  for language in en "$target"; do
    file=$directory/$split.$language
    [[ ! -e $file || $(lines_of "$file") != "$lines" ]] || continue
    name=$folder/$split$ending.$language$packed
    fetch "$base/$name" | unpack >"$part" || fail "could not fetch $base/$name"
    [[ $(lines_of "$part") == "$lines" ]] ||
      fail "$base/$name has $(lines_of "$part") lines, where $lines were expected; $file is left as it was"
    chmod 644 "$part" && mv "$part" "$file"
    echo "$file: $lines lines"
  done
done
echo "$directory is complete"
