#!/usr/bin/env bash
# Makes a split of SCAN by length: short targets to train on, longer ones to test on (Newman et al. 2020).
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/make_scan_length.sh [CUTOFF] [FROM]
Puts the 20,910 commands of SCAN, as scripts/fetch_scan.sh fetches them, into data/scan/length_CUTOFF, in another
split: test has those of more than CUTOFF actions (26 if left out). Of the others, valid has those whose MD5 is a
multiple of 20, and train the rest. With 26, train and valid have 18,286 commands together, and test has 2,624.
FROM: the directory of the random split, instead of data/scan/simple."

cutoff=26 from=''
for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *[!0-9]*) from=$(absolute "$argument") ;;
    *) cutoff=$argument ;;
  esac
done
cd "$(dirname "$0")/.."
from=${from:-data/scan/simple}
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

for part in train valid test; do
  for side in src tgt; do
    cat "$from/$part.$side" >>"$scratch/$side" ||
      fail "could not read $from/$part.$side; scripts/fetch_scan.sh fetches it"
  done
done

# Columns: the part, the command, the actions.
md5_remainders "$scratch/src" 20 | paste - "$scratch/src" "$scratch/tgt" |
  awk -F '\t' -v OFS='\t' -v cutoff="$cutoff" '{
  part = split($3, actions, " ") > cutoff ? "test" : $1 == 0 ? "valid" : "train"
  print part, $2, $3 }' >"$scratch/all"

directory=data/scan/length_$cutoff
mkdir -p "$directory"
for part in train valid test; do
  awk -F '\t' -v part="$part" '$1 == part' "$scratch/all" >"$scratch/part"
  [[ -s $scratch/part ]] || fail "no command is left for $part with a cutoff of $cutoff actions"
  cut --fields=2 "$scratch/part" >"$directory/$part.src"
  cut --fields=3 "$scratch/part" >"$directory/$part.tgt"
  echo "$directory/$part: $(wc --lines <"$scratch/part") commands"
done
