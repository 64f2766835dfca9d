#!/usr/bin/env bash
# Fetches questions and their classes: TREC (Li and Roth 2002), of https://github.com/harvardnlp/sent-conv-torch.
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_trec.sh [BASE]
Puts questions with their classes (text, tab, class) into data/trec: train.tsv, valid.tsv and test.tsv. The 500 test
questions are the usual ones. Of the 5,452 others, valid.tsv has the 494 whose MD5 is a multiple of 11.
BASE: another place that holds TREC.train.all and TREC.test.all, a URL or a directory."

base=https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) base=$(absolute "$argument") ;;
  esac
done
cd "$(dirname "$0")/.."
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

# A line has the number of a class and a question. One question has a byte that is no UTF-8: it becomes U+FFFD.
questions() { # NAME
  fetch "$base/$1" | LC_ALL=C sed 's/\(sister\)[\x80-\xff]\(city\)/\1\xef\xbf\xbd\2/' |
    awk 'BEGIN { split("DESC ENTY ABBR HUM LOC NUM", classes, " ") }
      { class = classes[$1 + 1]; sub(/^[0-9]+ /, ""); sub(/[ \r]+$/, ""); print $0 "\t" class }'
}

# In front of each training question, the remainder of its MD5 by 11.
questions_with_remainders() {
  questions TREC.train.all >"$scratch/questions" || return
  cut --fields=1 "$scratch/questions" >"$scratch/texts"
  md5_remainders "$scratch/texts" 11 | paste - "$scratch/questions"
}

validation() { awk -F '\t' '$1 == 0' "$scratch/all" | cut --fields=2-; }
training() { awk -F '\t' '$1 != 0' "$scratch/all" | cut --fields=2-; }

directory=data/trec
train=703f99c06686930b66ffc4fa9d45843eb6c44aaad078acb6d3d0d7052a14f6ac
valid=a4e549b8462a14dd349f4ecb06d157f687fb46f20be130b0787beda0dc537538
if ! has_digest $directory/train.tsv $train || ! has_digest $directory/valid.tsv $valid; then
  questions_with_remainders >"$scratch/all" || fail "could not fetch $base/TREC.train.all"
  make_file $directory/train.tsv $train training
  make_file $directory/valid.tsv $valid validation
fi
make_file $directory/test.tsv 244e77f27bc287c242e34f71b7f6ea8225e887ae4d0ca2cdbe2b496cabed3c30 questions TREC.test.all
echo "$directory is complete"
