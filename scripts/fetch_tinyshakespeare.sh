#!/usr/bin/env bash
# Fetches tiny Shakespeare (Karpathy 2015): 1.1 MB of plays, of https://github.com/karpathy/char-rnn.
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_tinyshakespeare.sh [FROM]
Puts the text into data/tinyshakespeare/input.txt, where configs/shakespeare.yaml looks for it.
FROM: another place of the file, a URL or a path."

from=https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt
digest=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) from=$(absolute "$argument") ;;
  esac
done
cd "$(dirname "$0")/.."
make_file data/tinyshakespeare/input.txt "$digest" fetch "$from"
echo "data/tinyshakespeare/input.txt is complete"
